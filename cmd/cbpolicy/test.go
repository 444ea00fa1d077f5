package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cbpolicy/cbpolicy/diag"
	"github.com/cbpolicy/cbpolicy/policytest"
)

// testSuffix ends the name of a test file in a directory.
const testSuffix = "_test.yaml"

// testOptions are the flags of test.
type testOptions struct {
	run, junit, format string
	cover              bool
	threshold          percent
}

func newTest() *cobra.Command {
	var o testOptions
	cmd := &cobra.Command{
		Use:   "test [PATH…] [--run REGEXP] [--cover] [--threshold PERCENT]",
		Short: "Run the tests of policies and chains",
		Long: `test runs the tests in *` + testSuffix + ` files: steps at given times, each with the
decision and the rules that are expected, tables of steps, and dry runs of
chains. A directory, by default this one, stands for the test files below it.
Every test has a state and a clock of its own.

--cover says which rules never fired, and which atoms were never seen to hold
or never seen not to.

Exit codes: 0 all passed, 1 a file could not be read, 2 a test file is wrong or
no test was selected, 3 a policy, chain or recording is wrong, 4 a test failed
or the coverage is below the threshold.`,
		Example: `  cbpolicy test
  cbpolicy test examples --run 'sixth' --junit report.xml
  cbpolicy test --cover --threshold 90 policies`,
	}
	cmd.Flags().StringVar(&o.run, "run", "", "run only the tests whose name matches this RE2 expression")
	nonEmptyFlag(cmd.Flags(), &o.junit, "junit", "write the results to this file, as JUnit XML")
	cmd.Flags().BoolVar(&o.cover, "cover", false, "say what of the rules the tests have not seen")
	cmd.Flags().Var(&o.threshold, "threshold", "the least coverage in percent; below: exit code 4 (implies --cover)")
	formatFlag(cmd.Flags(), &o.format, "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"."}
		}
		return runTests(cmd, o, args)
	}
	return cmd
}

// percent is a flag from 0 to 100.
type percent struct {
	value float64
	given bool
}

// String implements pflag.Value.
func (p *percent) String() string {
	if !p.given {
		return ""
	}
	return strconv.FormatFloat(p.value, 'g', -1, 64)
}

// Type implements pflag.Value.
func (p *percent) Type() string { return "percent" }

// Set implements pflag.Value.
func (p *percent) Set(s string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return errors.New("want a number from 0 to 100")
	}
	p.value, p.given = v, true
	return nil
}

func runTests(cmd *cobra.Command, o testOptions, args []string) error {
	filter, err := nameFilter(o.run)
	if err != nil {
		return err
	}
	suites, err := loadTests(cmd, args)
	if err != nil {
		return err
	}
	var cover *policytest.Coverage
	if o.cover || o.threshold.given {
		cover = policytest.NewCoverage()
	}
	var report policytest.Report
	for _, s := range suites {
		result, err := s.Run(cmd.Context(), filter, cover)
		if err != nil {
			return refuse(cmd, err)
		}
		if len(result.Tests) > 0 {
			report.Add(result)
		}
	}
	if report.Summary.Tests == 0 {
		return usage("test: no test has a name that matches %q", o.run)
	}
	if cover != nil {
		report.Coverage = cover.Report()
	}
	if o.junit != "" {
		if err := writeJUnit(o.junit, &report); err != nil {
			return err
		}
	}
	if err := printTests(cmd.OutOrStdout(), &report, o); err != nil {
		return fmt.Errorf("print results: %w", err)
	}
	if report.Summary.Failed > 0 || o.below(&report) {
		return exit(exitTests)
	}
	return nil
}

// below reports whether the coverage is less than asked for.
func (o testOptions) below(r *policytest.Report) bool {
	return o.threshold.given && r.Coverage.Percent() < o.threshold.value
}

// nameFilter compiles --run; nil lets every test through.
func nameFilter(expr string) (func(string) bool, error) {
	if expr == "" {
		return nil, nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, usage("--run %q: %v", expr, err)
	}
	return re.MatchString, nil
}

// loadTests reads all test files before any test is run. All that is wrong
// in any of them is told.
func loadTests(cmd *cobra.Command, args []string) ([]*policytest.Suite, error) {
	paths, err := testFiles(args)
	if err != nil {
		return nil, err
	}
	var suites []*policytest.Suite
	var wrong, elsewhere diag.List
	for _, path := range paths {
		name, data, err := read(cmd, path)
		if err != nil {
			return nil, err
		}
		s, findings, err := loadTest(cmd, name, data)
		if err != nil {
			return nil, err
		}
		for _, f := range findings {
			if f.File == name {
				wrong = append(wrong, f)
			} else {
				elsewhere = append(elsewhere, f)
			}
		}
		if s != nil {
			suites = append(suites, s)
		}
	}
	switch err := refuse(cmd, append(wrong, elsewhere...)); {
	case len(wrong) > 0:
		return nil, exit(exitUsage)
	case len(elsewhere) > 0:
		return nil, err
	}
	return suites, nil
}

// loadTest reads a test file and what it names. The findings say what is
// wrong there; the error is one of reading.
func loadTest(cmd *cobra.Command, name string, data []byte) (*policytest.Suite, diag.List, error) {
	s, err := policytest.Load(name, data, func(path string) ([]byte, error) {
		_, data, err := read(cmd, path)
		return data, err
	})
	var inFile *policytest.FileError
	var elsewhere diag.List
	switch {
	case errors.As(err, &inFile):
		return nil, inFile.Findings, nil
	case errors.As(err, &elsewhere):
		return nil, elsewhere, nil
	}
	return s, nil, err
}

// testFiles returns the test files that the arguments name, each once.
func testFiles(args []string) ([]string, error) {
	all, err := walk(args, filepath.Ext(testSuffix))
	if err != nil {
		return nil, err
	}
	var paths []string
	seen := map[string]bool{}
	for _, path := range all {
		clean := filepath.Clean(path)
		if seen[clean] || !strings.HasSuffix(path, testSuffix) && !named(args, path) {
			continue
		}
		seen[clean] = true
		paths = append(paths, clean)
	}
	if len(paths) == 0 {
		return nil, usage("test: no file *%s in %s", testSuffix, strings.Join(args, ", "))
	}
	return paths, nil
}

func writeJUnit(path string, r *policytest.Report) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return firstError(r.JUnit(f), f.Close())
}

func printTests(w io.Writer, r *policytest.Report, o testOptions) error {
	out := bufio.NewWriter(w)
	if o.format == "json" {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return err
		}
		return out.Flush()
	}
	t := testText{out, colour(w)}
	t.report(r)
	if r.Coverage != nil {
		t.coverage(r.Coverage)
	}
	if o.below(r) {
		fmt.Fprintf(out, "%s: the coverage is below %s %%\n", paint(t.colour, red, "FAIL"), o.threshold.String())
	}
	return out.Flush()
}
