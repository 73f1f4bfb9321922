# `make help` lists the targets. They create .venv first, and again after a change of the required versions.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
JOBS ?= 2
ARGS ?=
# PIP_CONSTRAINT also pins the packages that a build uses. Python compiles modules when they are first imported; to
# compile all of them takes a third of the installation.
PIP = PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(abspath $(1)) $(dir $@)bin/python -m pip install --quiet --no-compile

.NOTPARALLEL:
.PHONY: help setup play train train-ppo test test-agents engine c-library wasm test-engine same-play sanitize test-c \
	wheels numba-versions test-web test-ray docs docs-test notebooks clients bench bench-network bench-datasets verify \
	mutants fuzz kills every-value soak install-check package nightly clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.* ## / { printf "%-16s%s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.ready-train,test ## create an environment in .venv

# The name after .ready- lists the extras to install.
$(VENV)/.ready-%: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(call PIP,constraints.txt) -e '.[$*]'
	touch $@

play: $(VENV)/.ready-web ## play in the browser; ARGS="--port 8000"
	$(VENV)/bin/carnegie-env serve $(ARGS)

train: setup ## train a value network by self-play, 15 minutes on all cores; ARGS="--num-players 3" (docs/training.md)
	$(PY) -m training.value $(ARGS)

train-ppo: setup ## train against Andrew with PPO
	$(PY) -m training.ppo $(ARGS)

# What `make test` leaves to other targets: what plays with agents or loads PyTorch, because loops of agents take minutes
# to compile, the library and the compiled checks, pictures and the server, and documents.
AGENTS := $(addprefix tests/,agents arena benchmark bots clients conformance/test_sb3.py datasets \
	documents/test_examples.py envs/test_sb3.py mutants review test_cli.py training)
PAGE := $(addprefix tests/,carnegie/test_drawing.py conformance/test_pictures.py envs/test_pictures.py render \
	steel_driver/test_drawing.py web)
ENGINES := $(addprefix tests/,engine carnegie/test_checks.py steel_driver/test_checks.py)
DOCUMENTS := tests/documents tests/test_documents.py

# worksteal gives workers contiguous parts, so that the tests of a file share their fixtures.
PYTEST := $(PY) -m pytest -q -n $(JOBS) --dist worksteal
test: setup ## style, types, tests of games and environments; ARGS="tests/core" for some, CARNEGIE_LONG=1 for more cases
	$(PY) -m ruff check .
	$(PY) -m mypy > $(VENV)/mypy.txt & checker=$$!; \
		$(PYTEST) $(or $(ARGS),$(addprefix --ignore=,$(AGENTS) $(PAGE) $(ENGINES) $(DOCUMENTS))); tests=$$?; \
		wait $$checker; types=$$?; cat $(VENV)/mypy.txt; [ $$tests = 0 ] && [ $$types = 0 ]

# CC names the C compiler. An edit of a source makes the library stale: Numba compiles until it is built again.
ENGINE := carnegie_env/_engine.abi3.so
SOURCES := $(shell find carnegie_env agents training -name '*.py' -o -name '*.toml' -o -name '*.c' -o -name '*.in')

engine: $(ENGINE) ## the library of compiled loops, so that nothing needs compiling at run time; 3 minutes, a C compiler

$(ENGINE): $(SOURCES) | setup
	$(PY) -m carnegie_env.engine.build

c-library: build/c/libcarnegie.a ## the games as a C library in build/c (docs/c.md); 1 minute, a C compiler

build/c/libcarnegie.a: $(SOURCES) | setup
	$(PY) -m carnegie_env.engine.c_library --out build/c

wasm: build/wasm/engine.wasm ## the games as a WebAssembly module for JavaScript in build/wasm; 1 minute

build/wasm/engine.wasm: $(SOURCES) $(wildcard carnegie_env/engine/javascript/*) | setup $(VENV)/.ready-zig
	$(PY) -m carnegie_env.engine.c_library --wasm build/wasm

test-agents: engine ## agents, arena, datasets, training, tools, with the library; ARGS="tests/arena" for some
	CARNEGIE_ENGINE= $(PYTEST) $(or $(ARGS),$(AGENTS))

test-engine: engine c-library ## the libraries play the same games as Numba and plain Python, and serve without Numba
	$(PY) -m pytest -q -n 0 $(ENGINES) $(ARGS)
	CARNEGIE_ENGINE= $(PY) -m pytest -q -n $(JOBS) $(ARGS) tests/test_golden.py tests/test_lockstep.py \
		tests/conformance/test_play.py tests/conformance/test_batches.py

same-play: engine ## a billion decisions with the library and again with Numba, in the same games; 6 minutes
	$(PY) -m tests.same_play $(ARGS)

# A copy of the project with a library that checks every access to memory. Python's and NumPy's small blocks also come
# from malloc, which AddressSanitizer replaces.
SANITIZED = cd build/sanitize && CARNEGIE_ENGINE= ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
	LD_PRELOAD=$$($(CC) -print-file-name=libasan.so) $(abspath $(PY)) -m
sanitize: setup $(VENV)/.ready-zig ## play and fuzz with AddressSanitizer in the library; 15 minutes, Linux, GCC
	rm -rf build/sanitize && mkdir -p build/sanitize
	git ls-files -z | xargs -0 cp -P --parents -t build/sanitize
	cd build/sanitize && $(abspath $(PY)) -m carnegie_env.engine.build --sanitize
	$(SANITIZED) pytest -q -n 0 tests/engine/test_sanitizer.py tests/test_golden.py tests/conformance/test_play.py \
		tests/conformance/test_batches.py
	$(SANITIZED) tests.fuzz --target memory --cases 2500 $(ARGS)

# Both at once, because most of the time goes into translating the loops.
build/.ready: $(SOURCES) $(wildcard carnegie_env/engine/javascript/*) | setup $(VENV)/.ready-zig
	$(PY) -m carnegie_env.engine.c_library --out build/c --wasm build/wasm
	touch $@

test-c: engine build/.ready ## the C library and WebAssembly play the same games; a C compiler, Node, Chromium
	$(PY) -m pytest -q -n 0 tests/engine/test_c_library.py tests/engine/test_wasm.py $(ARGS)

# The oldest and the newest tested Numba, and one with an unknown version.
TESTED := $(shell grep '^TESTED = ' carnegie_env/core/compiling.py | cut -d '#' -f 1 | tr -dc '0-9 ')
numba-versions: ## the core's tests with the oldest, the newest and an unknown Numba, each in its own environment
	set -e; for minor in $(TESTED) unknown; do \
		venv=.venv-numba/$$minor; $(PYTHON) -m venv $$venv; \
		$$venv/bin/python -m pip install --quiet --disable-pip-version-check gymnasium pettingzoo msgspec pytest \
			hypothesis numba==0.$$(echo $$minor | sed s/unknown/$(lastword $(TESTED))/).*; \
		[ $$minor != unknown ] || echo 'import numba; numba.__version__ = "0.99.0"' \
			> "$$(echo $$venv/lib/python3*/site-packages)/unknown.pth"; \
		$$venv/bin/python -c 'import numba; print("Numba", numba.__version__)'; \
		$$venv/bin/python -m pytest -q tests/core $(ARGS); \
	done

# .ci/browser installs Debian's Chromium if possible; CARNEGIE_BROWSER=PATH uses another. Screenshots: .screenshots.
test-web: setup $(VENV)/.ready-web,test-web ## pictures, the server, its page in a browser; ARGS="-k keyboard" for some
	.ci/browser
	[ -n "$(ARGS)" ] || $(PYTEST) $(PAGE)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m browser tests/browser $(ARGS)

test-ray: .venv-ray/.ready ## two Ray nodes with failing workers and nodes, and RLlib (2 GB); ARGS="-k generate"
	.venv-ray/bin/python -m pytest -q -m ray tests/ray $(ARGS)

# A separate environment, because RLlib pins Gymnasium.
.venv-ray/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-ray
	sed 's/^gymnasium==.*/gymnasium==1.2.2/' constraints.txt > .venv-ray/constraints.txt
	$(call PIP,.venv-ray/constraints.txt) -e '.[train,data,ray]' 'ray[rllib]' pytest hypothesis
	touch $@

docs: setup $(VENV)/.ready-docs ## check documents, build them in site/ with warnings as errors, and check its links
	$(PYTEST) $(DOCUMENTS) --ignore=tests/documents/test_examples.py
	$(PY) -m tests.documents.site

docs-test: setup ## run all code of the documents, including the slow parts that `make test-agents` skips
	CARNEGIE_DOCS=1 $(PY) -m pytest -q -n $(JOBS) tests/documents tests/test_readme.py $(ARGS)

notebooks: setup $(VENV)/.ready-notebooks ## run the notebooks and compare outputs; ARGS=--write stores them
	$(PY) -m tests.notebooks $(ARGS)

clients: ## current releases of other libraries, each in an environment (8 GB); ARGS="torchrl rllib", --upgrade
	$(PYTHON) -m tests.clients $(ARGS)

bench: setup ## speed and size; ARGS=--quick (python -m benchmarks.pair REVISION compares)
	$(PY) -m benchmarks.throughput $(ARGS)

bench-network: setup ## evaluations of the value network, compared with torch
	$(PY) -m benchmarks.evaluations $(ARGS)

bench-datasets: setup ## speed and size of datasets
	$(PY) -m benchmarks.datasets $(ARGS)

# The long checks; `make test` runs a small share of them. All accept --seed, --jobs and an amount; verify, fuzz and
# soak also --game: ARGS="--game steel_driver --decisions 5000".
verify: setup ## compare engines with referees, decision by decision; 20 minutes
	$(PY) -m tests.verify $(ARGS)

# ARGS="--seed 1 --number 200" draws another sample, ARGS="--only scoring" selects by name.
mutants: setup ## seed single mistakes into rules and tables, which the tests must find; 15 minutes for each --game
	$(PY) -m tests.mutants.run $(ARGS)

# NUMBA_BOUNDSCHECK=1 make fuzz ARGS="--target memory --cases 12500" makes 100,000 calls of Batch and Position.
fuzz: setup ## malformed positions, records, component files and actions; 30 minutes; ARGS="--target json" for one kind
	$(PY) -m tests.fuzz $(ARGS)

kills: setup ## kill a short training run at 30 random moments and resume it; a few minutes
	CARNEGIE_LONG=1 $(PY) -m pytest -q -n 0 tests/training/test_run_folder.py -k "killed and 30"

every-value: setup ## change every value of the component tables: each must matter; 5 minutes
	NUMBA_DISABLE_JIT=1 $(PY) -m tests.every_value $(ARGS)

# After a change of the rules, also check array indices: NUMBA_BOUNDSCHECK=1 make soak ARGS="--decisions 5000000"
soak: setup ## millions of decisions with the invariants compiled in; 15 minutes
	CARNEGIE_CHECK=1 $(PY) -m tests.soak $(ARGS)

wheels: setup $(VENV)/.ready-wheels ## all archives in dist/: source, pure wheel, Linux, macOS, Windows; 10 minutes
	$(PY) -m carnegie_env.engine.build --all build/engine
	$(PYTHON) -m tests.packages --libraries build/engine --dist dist --build-only

install-check: ## build the archives, install and use them with every Python from 3.11 on; ARGS=--quick for fewer
	$(PYTHON) -m tests.packages $(ARGS)

package: wheels ## build all archives into dist/, then install and use them with every Python from 3.11 on
	$(PYTHON) -m tests.packages --archives dist $(ARGS)

nightly: ## all long checks at full size, 3 to 4 hours on 2 cores; stops at the first failure
	CARNEGIE_LONG=1 $(MAKE) test ARGS=tests
	$(MAKE) verify ARGS="--game carnegie --decisions 14000000"
	$(MAKE) verify ARGS="--game steel_driver --decisions 6000000"
	$(MAKE) fuzz ARGS="--cases 1000000"
	NUMBA_BOUNDSCHECK=1 $(MAKE) fuzz ARGS="--target memory --cases 12500"
	$(MAKE) soak ARGS="--game carnegie --decisions 140000000"
	$(MAKE) soak ARGS="--game steel_driver --decisions 60000000"
	NUMBA_BOUNDSCHECK=1 $(MAKE) soak ARGS="--game carnegie --decisions 7000000"
	NUMBA_BOUNDSCHECK=1 $(MAKE) soak ARGS="--game steel_driver --decisions 3000000"
	$(MAKE) mutants ARGS="--game carnegie --number 500"
	$(MAKE) mutants ARGS="--game steel_driver --number 200"
	$(MAKE) every-value ARGS="--every 1"
	$(PY) -m tests.web --hostile --requests 20000
	for target in test-engine same-play sanitize test-c clients test-web test-ray package notebooks docs docs-test; do \
		$(MAKE) $$target ARGS= || exit 1; \
	done

clean: ## delete everything that the targets create
	rm -rf $(VENV) .venv-ray .venv-numba .clients .screenshots site .cache build dist
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis
	rm -rf *.egg-info $(ENGINE)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
