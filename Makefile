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

test:
	go test ./...

# Ratios within one run; a bar that is missed fails.
bench: build
	go run ./cmd/cbpolicy-bench -program ./$(BIN)

# Every fuzz target, FUZZTIME inputs each.
fuzz:
	@go list ./... | while read -r pkg; do \
		go test -list '^Fuzz' "$$pkg" | grep '^Fuzz' | while read -r target; do \
			echo "== $$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "$$pkg" || exit 1; \
		done || exit 1; \
	done

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run gofmt'; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

clean:
	rm -rf bin
