# make setup | train | train-ppo | test | test-web | test-ray | docs | docs-test | notebooks | clients | bench |
#      bench-network | bench-datasets | verify | mutants | fuzz | kills | every-value | soak | install-check | package |
#      nightly | clean
# Every target makes .venv first, and remakes it when its versions change.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.ready
WEB_STAMP := $(VENV)/.ready-web
RAY_VENV := .venv-ray
RAY_STAMP := $(RAY_VENV)/.ready
DOCS_STAMP := $(VENV)/.ready-docs
NOTEBOOKS_STAMP := $(VENV)/.ready-notebooks
JOBS ?= 2
ARGS ?=

.PHONY: setup train train-ppo test test-web test-ray docs docs-test notebooks clients bench bench-network bench-datasets \
	verify mutants fuzz kills every-value soak install-check package nightly clean

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

# Each worker begins at another end of the tests: what a file's tests share is made once, and little is compiled twice.
# CARNEGIE_LONG=1 looks at more games, positions and kills.
test: setup
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -m pytest -q -n $(JOBS) --dist worksteal $(ARGS)

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

# The site of docs/ into site/, with every warning an error, and a look at all its links; half a minute.
docs: $(DOCS_STAMP)
	$(PY) -m pytest -q -n 0 tests/documents/test_roles.py
	$(PY) -m tests.documents.site

$(DOCS_STAMP): $(STAMP)
	PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(PY) -m pip install --quiet -e '.[docs]'
	touch $@

# All code of the documents, that which takes longer, too, which `make test` leaves out. `make clients` runs what needs
# other libraries.
docs-test: setup
	CARNEGIE_DOCS=1 $(PY) -m pytest -q -n $(JOBS) tests/documents tests/test_readme.py $(ARGS)

# Every notebook is run from its top to its end, and must say what is stored in it; some minutes. ARGS=--write stores
# what comes out anew, ARGS="notebooks/1-a-first-game.ipynb" takes this one only.
notebooks: $(NOTEBOOKS_STAMP)
	$(PY) -m tests.notebooks $(ARGS)

$(NOTEBOOKS_STAMP): $(STAMP)
	PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(PY) -m pip install --quiet -e '.[notebooks]'
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

# The long checks; `make test` has a small share of each. All take --seed, --jobs and an amount: ARGS="--decisions 5000";
# ARGS="--decisions 5000 --part 1/4" does the first of four parts that are the whole together.
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

# The same, and what passed is put into dist/: what a release consists of (CONTRIBUTING.md). ARGS=--build-only: no
# environments, a minute.
package:
	$(PYTHON) -m tests.packages --dist dist $(ARGS)

# All long checks to their ends, one after the other, with a report in runs/nightly/: some hours on 2 cores. What a
# killed one left is done by the next; what was done holds while the files that a check looks at are the same.
# ARGS="--minutes 180" begins nothing more after three hours, ARGS="--share 0.01" does a hundredth of each amount,
# ARGS=--keep writes outcomes and report into the documents.
nightly: setup
	$(PY) -m tests.nightly --set PYTHON=$(PYTHON) --set VENV=$(VENV) --set JOBS=$(JOBS) $(ARGS)

clean:
	rm -rf $(VENV) $(RAY_VENV) .clients .screenshots site .cache build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	rm -rf *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
