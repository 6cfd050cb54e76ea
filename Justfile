# Every recipe is one plain command: nothing here needs just.

# what there is
default:
    @just --list

# run the host command
run *args:
    go run ./cmd/host {{args}}

# all tests
test:
    go test ./...

# the linters of .golangci.yml
lint:
    go tool -modfile=tools/go.mod golangci-lint run ./...

# format all Go files
fmt:
    go tool -modfile=tools/go.mod golangci-lint fmt

# tests under the race detector
race:
    go test -race -short ./...

# every fuzz target, each for the time given
fuzz time="10s":
    .ci/fuzz {{time}}

# build assets/quickjs.wasm again
quickjs:
    go run ./wasmjs/guest

# build it in another folder and compare
quickjs-check:
    go run ./wasmjs/guest -check

# measurements beside other engines; see docs/benchmarks.md
bench *args="--quick":
    go -C bench run . {{args}}

# known vulnerabilities in what we depend on (asks Go's vulnerability database)
vuln:
    go tool -modfile=tools/go.mod govulncheck ./...

# everything that CI runs
check:
    .ci/run
