package command_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cbpolicy/cbpolicy/chain/run/command"
)

// programs are what the test binary does when it is run as an ability.
var programs = map[string]func(arg string){
	"cat": func(string) { _, _ = io.Copy(os.Stdout, os.Stdin) },
	"say": func(arg string) { fmt.Print(arg) },
	"env": func(string) {
		fmt.Println(os.Getenv(command.EnvAbility), os.Getenv(command.EnvStep), os.Getenv("GIVEN"))
	},
	"fail": func(arg string) {
		fmt.Print("half an output")
		fmt.Fprint(os.Stderr, arg)
		os.Exit(3)
	},
	"flood": func(string) {
		line := []byte(strings.Repeat("x", 1<<16))
		for {
			_, _ = os.Stdout.Write(line) // goes on whatever comes of it
		}
	},
	"grumble": func(string) { fmt.Fprint(os.Stderr, strings.Repeat("loud ", 1<<16), "end"); os.Exit(1) },
	"sleep":   func(string) { time.Sleep(time.Hour) },
	// family starts a child that shares its output, and waits; orphan does not wait.
	"family": func(arg string) { startChild(arg); time.Sleep(time.Hour) },
	"orphan": func(arg string) { startChild(arg) },
	// child tells that it lives by a connection, which ends with it.
	"child": func(arg string) {
		c, err := net.Dial("tcp", arg)
		if err != nil {
			os.Exit(1)
		}
		time.Sleep(time.Hour)
		c.Close()
	},
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		if p := programs[os.Args[1]]; p != nil {
			p(os.Args[2])
			return
		}
	}
	os.Exit(m.Run())
}

func startChild(arg string) {
	cmd := exec.Command(os.Args[0], "child", arg)
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
}

// program is the ability that does one of the programs.
func program(t *testing.T, name, arg string) *command.Ability {
	t.Helper()
	a, err := command.New([]string{os.Args[0], name, arg})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
