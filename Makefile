GO       ?= go
TOOLS    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/minicode-tools
LINT     := $(TOOLS)/golangci-lint
LINT_AT  := v2.15.0
FUMPT    := $(TOOLS)/gofumpt
FUMPT_AT := v0.12.0
FLAGS    := -trimpath -ldflags='-s -w'
FUZZTIME ?= 10s
RACE     := $(shell command -v gcc >/dev/null 2>&1 && echo -race)
export CGO_ENABLED ?= 0

.PHONY: build check test e2e lint fuzz bench golden picture pictures release

build: ## the binary, in bin/
	$(GO) build $(FLAGS) -o bin/minicode ./cmd/minicode

check: lint test ## what CI does

test: ## all tests, with the race detector where there is a C compiler
	CGO_ENABLED=$(if $(RACE),1,0) $(GO) test $(RACE) -shuffle=on -timeout 20m ./...

e2e: ## only the scripts that run the real binary
	$(GO) test -count=1 ./cmd/minicode

lint: $(LINT) $(FUMPT) ## format, vet, linters, cross builds
	@out=$$($(FUMPT) -l .); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi
	$(GO) vet ./...
	$(LINT) run ./...
	$(GO) mod tidy -diff
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...

fuzz: ## each fuzz target for FUZZTIME
	@grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r dir; do \
	  for f in $$(grep -rhoE '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | sed 's/func //'); do \
	    echo "$$dir $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$dir || exit 1; done; done

bench: ## the figures of docs/design/budgets.md
	@$(GO) run ./internal/measure

golden: ## rewrite golden files
	$(GO) test $$(grep -rl --include='*_test.go' '"update"' . | xargs -n1 dirname | sort -u) -update

picture: ## the pictures in the README, from the tour
	$(GO) test ./cmd/minicode -count=1 -run '^TestPictures$$' -update

pictures: ## every scene of the terminal program, in dist/pictures, to be looked at
	$(GO) test ./internal/tui -count=1 -run '^TestScenes$$' -pictures $(CURDIR)/dist/pictures

release: ## binaries for all systems, in dist/
	for os in linux darwin windows; do for arch in amd64 arm64; do \
	  ext=; [ $$os = windows ] && ext=.exe; \
	  GOOS=$$os GOARCH=$$arch $(GO) build $(FLAGS) -o dist/minicode-$$os-$$arch$$ext ./cmd/minicode || exit 1; done; done
	cd dist && sha256sum minicode-* > SHA256SUMS

$(LINT):
	mkdir -p $(TOOLS) && GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_AT)

$(FUMPT):
	mkdir -p $(TOOLS) && GOBIN=$(TOOLS) $(GO) install mvdan.cc/gofumpt@$(FUMPT_AT)
