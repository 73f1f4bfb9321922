# make setup | train | test | bench | verify | mutants | fuzz | soak | clean
# Every target makes .venv first, and remakes it when its versions change.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.ready
JOBS ?= 2
ARGS ?=

.PHONY: setup train test bench verify mutants fuzz soak clean

setup: $(STAMP)

# PIP_CONSTRAINT also pins what the build itself uses.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(PY) -m pip install --quiet -e '.[train,test]'
	touch $@

train: setup
	$(PY) -m training.train $(ARGS)

test: setup
	$(PY) -m ruff check .
	$(PY) -m pytest -q -n $(JOBS) $(ARGS)

bench: setup
	$(PY) -m benchmarks.throughput $(ARGS)

# The long checks; `make test` has a small share of each. All take --seed, --jobs and an amount: ARGS="--decisions 5000".
# The engine against the referee, decision by decision; about ten minutes on 2 cores.
verify: setup
	$(PY) -m tests.verify $(ARGS)

# Would the tests find a mistake? A sample of single mistakes seeded into rules and tables; at most an hour on 2 cores.
# ARGS="--seed 1 --number 200" draws others, ARGS="--only scoring" some of them.
mutants: setup
	$(PY) -m tests.mutants.run $(ARGS)

# Spoilt positions, records, component files, actions; about half an hour. ARGS="--target json" tries one kind of input.
fuzz: setup
	$(PY) -m tests.fuzz $(ARGS)

# 50 million decisions with the checks compiled in; about ten minutes. After a change of the rules once with the check of
# array indices, too: NUMBA_BOUNDSCHECK=1 make soak ARGS="--decisions 5000000"
soak: setup
	CARNEGIE_CHECK=1 $(PY) -m tests.soak $(ARGS)

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .benchmarks *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
