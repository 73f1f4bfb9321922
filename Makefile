# `make help` lists the targets. Each makes .venv first, and again when the versions that it needs change.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
JOBS ?= 2
ARGS ?=
# PIP_CONSTRAINT also pins the packages that a build uses.
PIP = PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(abspath $(1)) $(dir $@)bin/python -m pip install --quiet

.NOTPARALLEL:
.PHONY: help setup train train-ppo test numba-versions test-web test-ray docs docs-test notebooks clients bench \
	bench-network bench-datasets verify mutants fuzz kills every-value soak install-check package nightly clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.* ## / { printf "%-16s%s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.ready-train,test ## an environment in .venv

# What follows .ready- names the extras that are installed.
$(VENV)/.ready-%: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(call PIP,constraints.txt) -e '.[$*]'
	touch $@

train: setup ## train a value network by self-play, 15 minutes on all cores; ARGS="--num-players 3" (docs/training.md)
	$(PY) -m training.value $(ARGS)

train-ppo: setup ## train against Andrew with PPO
	$(PY) -m training.ppo $(ARGS)

# Workers start from different ends of the tests: what the tests of a file share is made once.
test: setup ## style, types and tests; ARGS="tests/core" for some, CARNEGIE_LONG=1 for more games, positions and kills
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

# The oldest and the newest Numba that whole programs were tested with, and one of an unknown number.
TESTED := $(shell grep '^TESTED = ' carnegie_env/core/compiling.py | cut -d '#' -f 1 | tr -dc '0-9 ')
numba-versions: ## the core's tests with the oldest, the newest and an unknown Numba, an environment each
	set -e; for minor in $(TESTED) unknown; do \
		venv=.venv-numba/$$minor; $(PYTHON) -m venv $$venv; \
		$$venv/bin/python -m pip install --quiet --disable-pip-version-check gymnasium pettingzoo msgspec pytest \
			hypothesis numba==0.$$(echo $$minor | sed s/unknown/$(lastword $(TESTED))/).*; \
		[ $$minor != unknown ] || echo 'import numba; numba.__version__ = "0.99.0"' \
			> "$$(echo $$venv/lib/python3*/site-packages)/unknown.pth"; \
		$$venv/bin/python -c 'import numba; print("Numba", numba.__version__)'; \
		$$venv/bin/python -m pytest -q tests/core $(ARGS); \
	done

# .ci/browser installs Debian's Chromium if it can; CARNEGIE_BROWSER=PATH takes another. Screenshots: .screenshots.
test-web: setup $(VENV)/.ready-web,test-web ## the page in a browser; ARGS="-k keyboard" for some of it
	.ci/browser
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest -q -n $(JOBS) -m browser tests/browser $(ARGS)

test-ray: .venv-ray/.ready ## two Ray nodes that lose a worker and a node, and RLlib (2 GB); ARGS="-k generate"
	.venv-ray/bin/python -m pytest -q -m ray tests/ray $(ARGS)

# An environment of its own, with the Gymnasium that RLlib pins.
.venv-ray/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-ray
	sed 's/^gymnasium==.*/gymnasium==1.2.2/' constraints.txt > .venv-ray/constraints.txt
	$(call PIP,.venv-ray/constraints.txt) -e '.[train,data,ray]' 'ray[rllib]' pytest hypothesis
	touch $@

docs: setup $(VENV)/.ready-docs ## the documentation in site/, with warnings as errors, and a check of its links
	$(PY) -m pytest -q -n 0 tests/documents/test_roles.py
	$(PY) -m tests.documents.site

docs-test: setup ## all code of the documents, also the slow parts that `make test` leaves out
	CARNEGIE_DOCS=1 $(PY) -m pytest -q -n $(JOBS) tests/documents tests/test_readme.py $(ARGS)

notebooks: setup $(VENV)/.ready-notebooks ## run the notebooks and compare; ARGS=--write stores the outputs
	$(PY) -m tests.notebooks $(ARGS)

clients: ## other libraries in their current releases, an environment each (8 GB); ARGS="torchrl rllib", --upgrade
	$(PYTHON) -m tests.clients $(ARGS)

bench: setup ## speed and size; ARGS=--quick (python -m benchmarks.pair REVISION compares)
	$(PY) -m benchmarks.throughput $(ARGS)

bench-network: setup ## evaluations of the value network, beside torch
	$(PY) -m benchmarks.evaluations $(ARGS)

bench-datasets: setup ## speed and size of datasets
	$(PY) -m benchmarks.datasets $(ARGS)

# The long checks, of which `make test` has a small share. All take --seed, --jobs and an amount, verify, fuzz and soak
# also --game: ARGS="--game steel_driver --decisions 5000".
verify: setup ## engines against their referees, decision by decision; 20 minutes
	$(PY) -m tests.verify $(ARGS)

# ARGS="--seed 1 --number 200" draws others, ARGS="--only scoring" some of them.
mutants: setup ## seed single mistakes into rules and tables: would the tests find them? 15 minutes for each --game
	$(PY) -m tests.mutants.run $(ARGS)

# NUMBA_BOUNDSCHECK=1 make fuzz ARGS="--target memory --cases 12500" makes 100,000 calls of Batch and Position.
fuzz: setup ## malformed positions, records, component files and actions; half an hour; ARGS="--target json" for one kind
	$(PY) -m tests.fuzz $(ARGS)

kills: setup ## a short training run killed at 30 random moments; some minutes
	CARNEGIE_LONG=1 $(PY) -m pytest -q -n 0 tests/training/test_run_folder.py -k "killed and 30"

every-value: setup ## every value of every component table, changed alone, must show; 5 minutes
	NUMBA_DISABLE_JIT=1 $(PY) -m tests.every_value $(ARGS)

# After a change of the rules also with checked array indices: NUMBA_BOUNDSCHECK=1 make soak ARGS="--decisions 5000000"
soak: setup ## millions of decisions with the checks compiled in; 15 minutes
	CARNEGIE_CHECK=1 $(PY) -m tests.soak $(ARGS)

install-check: ## build the archives, install and use them with every Python from 3.11 on; ARGS=--quick for one each
	$(PYTHON) -m tests.packages $(ARGS)

package: ## the same, and leave the archives in dist/; ARGS=--build-only installs nothing
	$(PYTHON) -m tests.packages --dist dist $(ARGS)

nightly: ## all long checks at full size, 3 hours on 2 cores; ends at the first failure
	CARNEGIE_LONG=1 $(MAKE) test
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
	for target in clients test-web test-ray package notebooks docs docs-test; do $(MAKE) $$target ARGS= || exit 1; done

clean: ## delete everything that the targets make
	rm -rf $(VENV) .venv-ray .venv-numba .clients .screenshots site .cache build dist
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis
	rm -rf *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
