# Countersign. Two commands matter to a newcomer: `make run` and `make test`. Both install what they need.
#
# Needed beforehand: Rust (through rustup), Node 20 or later with npm, make, a C compiler. For the tests PostgreSQL and
# Chromium, which `make test` installs on Debian when run as root.
#
# Builds and tools live in a cache outside the clone, so that a fresh clone does not start from nothing. CACHE or
# CARGO_TARGET_DIR move it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/countersign
CARGO_TARGET_DIR ?= $(CACHE)/target
export CARGO_TARGET_DIR
# The recipes themselves say which tests run on which database.
unexport COUNTERSIGN_TEST_POSTGRES

# In CI a lock file that does not fit Cargo.toml is a mistake; by hand it is brought up to date.
LOCKED := $(if $(CI),--locked)
SERVER := $(LOCKED) --features ssr
BROWSER := $(LOCKED) --lib --target wasm32-unknown-unknown --no-default-features --features hydrate

# The tool must be of exactly the version that Cargo.lock has for the crate.
WASM_BINDGEN_VERSION := $(shell awk '/^name = "wasm-bindgen"$$/ { getline; gsub(/[^0-9.]/, ""); print }' Cargo.lock)
WASM_BINDGEN := $(CACHE)/tools/wasm-bindgen-$(WASM_BINDGEN_VERSION)/bin/wasm-bindgen

# The test programs that keep something in a database of the desk: those run on both, but for what is done with a file.
DATABASE_TESTS := $(patsubst tests/%.rs,--test %,$(filter-out tests/backup.rs tests/moving.rs,\
	$(shell grep -l '^mod support;' tests/*.rs)))

CHROMIUM ?= $(or $(shell command -v chromium),/usr/bin/chromium)

.PHONY: help run build test fmt fmt-check lint rust-test simulate chaos bench e2e site wasm budget tools chromium postgresql clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## builds and serves the demo on http://127.0.0.1:3000
	dist/countersign serve --demo

build: site ## the program, release build with the site inside: dist/countersign
	cargo build $(SERVER) --release --bin countersign
	install -m 755 "$(CARGO_TARGET_DIR)/release/countersign" dist/countersign

test: tools fmt-check lint site budget rust-test e2e ## everything: format, lints, Rust tests, size budget, end to end

fmt: ## formats the Rust files
	cargo fmt

fmt-check:
	cargo fmt --check

lint: toolchain ## clippy on both builds, warnings are errors
	cargo clippy $(SERVER) --all-targets -- -D warnings
	cargo clippy $(BROWSER) -- -D warnings

rust-test: site postgresql ## the Rust tests: all of them, then those with a database on PostgreSQL too
	cargo test $(SERVER)
	tools/postgres.sh run cargo test $(SERVER) $(DATABASE_TESTS)
	cargo test $(LOCKED) --features ssr,mutants --test simulate -- --nocapture a_rule_that_is_taken_out

# Lives of one approval, each from a seed; a seed that breaks is printed (SIMULATE_SEED=n: that one, with its story).
SEEDS ?= 100000
simulate: toolchain ## the randomized run over SEEDS lives (SIMULATE_FROM, SIMULATE_SEED)
	SEEDS=$(SEEDS) cargo test $(SERVER) --test simulate -- --nocapture every_invariant

# Processes killed at random under load, on a PostgreSQL of its own that is restarted (DATABASE=sqlite: on SQLite).
DATABASE ?= postgres
chaos: toolchain postgresql ## minutes of chaos under load: nothing bought twice, lost or unowned (CHAOS_SEED, CHAOS_SECONDS)
	CHAOS_DATABASE=$(DATABASE) cargo test $(SERVER) --test chaos -- --ignored --nocapture

# The program is copied first: a build going on elsewhere must not exchange it under the running tests.
e2e: site end2end/node_modules/.package-lock.json chromium postgresql ## the end-to-end tests, in Chromium (ARGS="-g approve" for some)
	cargo build $(SERVER) --bin countersign
	install -D -m 755 "$(CARGO_TARGET_DIR)/debug/countersign" dist/debug/countersign
	cd end2end && npx --no-install tsc --noEmit
	cd end2end && $(PLAYWRIGHT) $(ARGS)
	cd end2end && ../tools/postgres.sh run $(PLAYWRIGHT) $(ACTS) $(ARGS)

PLAYWRIGHT := env COUNTERSIGN_BIN="$(CURDIR)/dist/debug/countersign" CHROMIUM="$(CHROMIUM)" npx --no-install playwright test --pass-with-no-tests
# What people do is done on PostgreSQL too; what the pages look like does not depend on the database.
ACTS := --project="with JavaScript" --project="without JavaScript"

# In a folder on a disk, since what is measured waits for it; /tmp may be memory.
BENCH_FOLDER ?= /var/tmp
bench: site postgresql ## how fast it is, beside the floor: docs/performance.md (ARGS="sqlite pages" for some)
	cargo bench $(SERVER) --bench load --no-run
	TMPDIR="$(BENCH_FOLDER)" cargo bench $(SERVER) --bench load -- $(ARGS)

site: wasm $(WASM_BINDGEN) tools/node_modules/.package-lock.json ## dist/site: browser build, style sheet, public/
	node tools/site.mjs --wasm-bindgen "$(WASM_BINDGEN)" \
		--wasm "$(CARGO_TARGET_DIR)/wasm32-unknown-unknown/wasm-release/countersign.wasm"

wasm: toolchain
	cargo build $(BROWSER) --profile wasm-release

budget: ## how large the browser build is, and whether it may be
	node tools/budget.mjs

# --- what the above need -------------------------------------------------------------------------------------------

tools: toolchain $(WASM_BINDGEN) tools/node_modules/.package-lock.json end2end/node_modules/.package-lock.json chromium postgresql ## installs what build and tests need

.PHONY: toolchain
toolchain:
	@for program in cargo node npm cc; do \
		command -v $$program >/dev/null || { echo "make: $$program is missing (README.md says what is needed)" >&2; exit 1; }; \
	done
	@[ -d "$$(rustc --print target-libdir --target wasm32-unknown-unknown)" ] || rustup target add wasm32-unknown-unknown

# Without --locked: the tool's own lock file may name versions a mirror no longer has; the tool's version is what counts.
$(WASM_BINDGEN):
	@mkdir -p "$(@D)"
	@if [ "$$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $(WASM_BINDGEN_VERSION)" ]; then \
		cp "$$(command -v wasm-bindgen)" "$@"; \
	else \
		CARGO_TARGET_DIR="$(CACHE)/tools/build" cargo install wasm-bindgen-cli --version "$(WASM_BINDGEN_VERSION)" \
			--root "$(dir $(@D))" && rm -rf "$(CACHE)/tools/build"; \
	fi

%/node_modules/.package-lock.json: %/package.json %/package-lock.json
	cd $* && npm ci --no-audit --no-fund
	@touch $@

chromium:
	@if ! [ -x "$(CHROMIUM)" ]; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; \
		else \
			echo "make: the end-to-end tests need Chromium: install Debian's package chromium, or name the program: make test CHROMIUM=…" >&2; \
			exit 1; \
		fi; \
	fi

postgresql:
	@if ! command -v initdb >/dev/null && ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql; \
		else \
			echo "make: the tests need PostgreSQL's server programs: install Debian's package postgresql, or put initdb on the path" >&2; \
			exit 1; \
		fi; \
	fi

clean: ## removes what was built in the clone; the cache stays
	rm -rf dist tools/node_modules end2end/node_modules end2end/test-results end2end/playwright-report
