# make setup | train | train-ppo | test | test-web | test-ray | clients | bench | bench-network | bench-datasets | verify |
#      mutants | fuzz | kills | every-value | soak | install-check | clean
# Every target makes .venv first, and remakes it when its versions change.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.ready
WEB_STAMP := $(VENV)/.ready-web
RAY_VENV := .venv-ray
RAY_STAMP := $(RAY_VENV)/.ready
JOBS ?= 2
ARGS ?=

.PHONY: setup train train-ppo test test-web test-ray clients bench bench-network bench-datasets verify mutants fuzz \
	kills every-value soak install-check clean

setup: $(STAMP)

# PIP_CONSTRAINT also pins what the build itself uses.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(PY) -m pip install --quiet -e '.[train,test]'
	touch $@

# A value network by self-play: 15 minutes on all cores. ARGS="--num-players 3" for a table, see docs/training.md.
train: setup
	$(PY) -m training.value $(ARGS)

train-ppo: setup
	$(PY) -m training.ppo $(ARGS)

test: setup
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest -q -n $(JOBS) $(ARGS)

# The page in a browser: Debian's Chromium, which is installed where it is missing and may be. Its pictures are in
# .screenshots. ARGS="-k keyboard" for some of it; CARNEGIE_BROWSER=PATH takes another Chromium.
test-web: $(WEB_STAMP)
	.ci/browser
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest -q -n $(JOBS) -m browser tests/browser $(ARGS)

$(WEB_STAMP): $(STAMP)
	PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(PY) -m pip install --quiet -e '.[web,test-web]'
	touch $@

# Ray, with two nodes on this machine that lose a worker and a node, and RLlib. In an environment of its own, which has
# the Gymnasium that RLlib pins; two gigabytes. ARGS="-k generate" for some of it.
test-ray: $(RAY_STAMP)
	$(RAY_VENV)/bin/python -m pytest -q -m ray tests/ray $(ARGS)

$(RAY_STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(RAY_VENV)
	sed 's/^gymnasium==.*/gymnasium==1.2.2/' constraints.txt > $(RAY_VENV)/constraints.txt
	PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(abspath $(RAY_VENV))/constraints.txt \
		$(RAY_VENV)/bin/python -m pip install --quiet -e '.[train,data,ray]' 'ray[rllib]' pytest hypothesis
	touch $@

# Other people's programs, each with its current release in an environment of its own under .clients/ (8 GB): a table of
# what works. A quarter of an hour, and the downloads at the first time. ARGS="torchrl rllib" runs these only; --upgrade.
clients:
	$(PYTHON) -m tests.clients $(ARGS)

# Compares compile times with an older version, if git history is there; ARGS="--compile-pairs 0" leaves that out.
bench: setup
	$(PY) -m benchmarks.throughput $(ARGS)

# Evaluations of the value network a second and core, and torch's beside it.
bench-network: setup
	$(PY) -m benchmarks.evaluations $(ARGS)

# Datasets: how fast they are made and played again, their size.
bench-datasets: setup
	$(PY) -m benchmarks.datasets $(ARGS)

# The long checks; `make test` has a small share of each. All take --seed, --jobs and an amount: ARGS="--decisions 5000".
# verify, fuzz and soak go through all games, or through one: ARGS="--game steel_driver"; mutants takes Carnegie's rules
# if no other game is named so.
# The engines against their referees, decision by decision; about twenty minutes on 2 cores.
verify: setup
	$(PY) -m tests.verify $(ARGS)

# Would the tests find a mistake? A sample of single mistakes seeded into rules and tables; at most an hour on 2 cores.
# ARGS="--seed 1 --number 200" draws others, ARGS="--only scoring" some of them, ARGS="--report FILE" keeps the result,
# from which ARGS="--again FILE" tries those that survived.
mutants: setup
	$(PY) -m tests.mutants.run $(ARGS)

# Spoilt positions, records, component files, actions; about half an hour. ARGS="--target json" tries one kind of input.
fuzz: setup
	$(PY) -m tests.fuzz $(ARGS)

# Memory: NUMBA_BOUNDSCHECK=1 make fuzz ARGS="--target memory --cases 12500" makes 100,000 calls of Batch and Position.

# A short training run killed at 30 random moments; some minutes.
kills: setup
	CARNEGIE_LONG=1 $(PY) -m pytest -q -n 0 tests/training/test_run_folder.py -k "killed and 30"

# Every value of every component table, changed alone, must show in play or scores, or be refused; about five minutes.
every-value: setup
	NUMBA_DISABLE_JIT=1 $(PY) -m tests.every_value $(ARGS)

# Millions of decisions with the checks compiled in; about a quarter of an hour. After a change of the rules once with
# the check of array indices, too: NUMBA_BOUNDSCHECK=1 make soak ARGS="--decisions 5000000"
soak: setup
	CARNEGIE_CHECK=1 $(PY) -m tests.soak $(ARGS)

# The packages as users get them: built, installed into clean environments of every Python from 3.11 on that is here, and
# used from another folder. About half an hour on 2 cores; ARGS=--quick leaves one environment for each Python.
install-check:
	$(PYTHON) -m tests.packages $(ARGS)

clean:
	rm -rf $(VENV) $(RAY_VENV) .clients .screenshots build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
