# Targets: demo test build bench fuzz lint. See CONTRIBUTING.md.

BIN     := bin/cbpolicy
GOFILES := $(shell find . -name '*.go' -not -path './.git/*')
# A count: with a duration, an input under way when it ends is called a failure.
FUZZTIME ?= 10000x

.PHONY: all build demo test bench fuzz lint clean

all: build

build: $(BIN)

$(BIN): go.mod go.sum grammar.ebnf registry/builtin.cbp $(wildcard trace/replay/page/page.*) $(GOFILES)
	go build -o $@ ./cmd/cbpolicy

# Real chains linted and run dry, and a breaker seen firing.
demo: build
	CBPOLICY=$(BIN) sh examples/demo.sh

# The packages that wait for servers and disks come first, so that others work meanwhile.
test:
	go test ./state/... ./...

# Ratios within one run; a bar that is missed fails.
bench: build
	go run ./cmd/cbpolicy-bench -program ./$(BIN)

# Every fuzz target, FUZZTIME inputs each, from one program for all targets of a package.
fuzz:
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && cache=$$(go env GOCACHE)/fuzz && \
	grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u | xargs go list -f '{{.ImportPath}} {{.Dir}}' > $$tmp/packages && \
	test -s $$tmp/packages && \
	while read -r pkg dir; do \
		go test -c -fuzz=Fuzz -o $$tmp/fuzz.test "$$pkg" && cd "$$dir" && $$tmp/fuzz.test -test.list '^Fuzz' > $$tmp/targets || exit 1; \
		while read -r target; do \
			echo "== $$pkg $$target"; \
			$$tmp/fuzz.test -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 10x \
				-test.fuzzcachedir "$$cache/$$pkg" || exit 1; \
		done < $$tmp/targets; \
		cd - >/dev/null; \
	done < $$tmp/packages

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run gofmt'; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

clean:
	rm -rf bin
