# make setup | train | test | bench | clean.   Every target makes .venv first, and remakes it when its versions change.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.ready
JOBS ?= 2
ARGS ?=

.PHONY: setup train test bench clean

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

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .benchmarks *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
