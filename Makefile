# Two commands do everything: `make serve` and `make test`.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin
INSTALL := $(RUN)/python -m pip install --quiet --disable-pip-version-check

# The processes that tests start need not compile everything again, wherever this is set.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help serve test test-slow format check bench bench-robots soak mutants lock release clean

help:
	@echo "make serve   set everything up and run a server on this machine (loopback only)"
	@echo "make test    set everything up; check format, lint, types; run the quick tests (three minutes)"
	@echo "make test-slow  run the long tests: kills, faults, real servers, browser (a quarter of an hour)"
	@echo "make bench   measure; figures are ratios within one run"
	@echo "make bench-robots  measure how well the robots play (hours); writes docs/robots.md"
	@echo "make soak    500 kills while games are played, a year in a club, every game and page (an hour); prints reports"
	@echo "make mutants  change the core in a hundred places; names the changes that no quick test notices (an hour)"
	@echo "make format  put the code into its format"
	@echo "make lock    renew deploy/requirements.lock: the newest libraries, with hashes"
	@echo "make release  build wheel and source archive into dist/, check them, say what comes next"
	@echo "make clean   remove what these commands made, but not data/ and pbmserv.toml"

serve: $(VENV)/.serve pbmserv.toml
	@$(RUN)/pbmserv serve

pbmserv.toml:
	@echo '# Made by `make serve`, for trying out on this machine: a From address is believed.' > $@
	@echo '# Remove this line before you let mail in from elsewhere.' >> $@
	@echo 'confirm = "from"' >> $@

test: check
	$(RUN)/pytest -m "not slow" -n 2 --dist worksteal

test-slow: $(VENV)/.oracles
	$(RUN)/pytest -m "(slow or hypothesis or part) and not soak" --hypothesis-profile=full -n 3 --dist worksteal --durations=30

check: $(VENV)/.test
	$(RUN)/ruff format --check .
	$(RUN)/ruff check .
	$(RUN)/mypy

bench: $(VENV)/.test
	$(RUN)/pytest tests/bench --benchmark-only -q

# PART="ladder marks" measures these parts only; see tests/bench/robots.py.
bench-robots: $(VENV)/.test
	$(RUN)/python -m tests.bench.robots $(PART)

soak: $(VENV)/.test
	PBMSERV_SOAK=1 $(RUN)/pytest tests/soak tests/machines tests/roads/sending tests/services/test_bounces.py -s -q -p no:cacheprovider
	$(RUN)/pytest -m soak --hypothesis-profile=full -n 2 --dist worksteal

mutants: $(VENV)/.test
	$(RUN)/python -m tests.mutants

format: $(VENV)/.test
	$(RUN)/ruff format .
	$(RUN)/ruff check --fix .

# Afterwards install from it and run the tests: it names what a release was tested with.
lock: | $(VENV)/bin/python
	@$(INSTALL) uv
	$(RUN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra postgresql --generate-hashes \
		--custom-compile-command "make lock" --output-file deploy/requirements.lock pyproject.toml

release: $(VENV)/.release
	@PYTHON=$(RUN)/python deploy/release

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pbmserv needs Python 3.11 or newer")'
	@$(PYTHON) -m venv $(VENV)

# The libraries of a release; whatever else is installed leaves them as they are.
$(VENV)/.locked: deploy/requirements.lock | $(VENV)/bin/python
	@echo 'Setting up in $(VENV), which takes half a minute the first time ...'
	@$(INSTALL) --require-hashes -r deploy/requirements.lock
	@touch $@

$(VENV)/.serve: pyproject.toml $(VENV)/.locked
	@$(INSTALL) --no-deps --editable .
	@touch $@

$(VENV)/.release: pyproject.toml $(VENV)/.locked
	@$(INSTALL) --editable '.[release]'
	@touch $@

$(VENV)/.oracles: $(VENV)/.test
	@$(INSTALL) --editable '.[oracles,train]' || \
		echo 'open_spiel or numba cannot be installed here: games are tested without the second engine, the trainer not at all'
	@touch $@

$(VENV)/.test: pyproject.toml $(VENV)/.locked
	@echo 'Setting up in $(VENV) what the tests need, which takes a minute the first time ...'
	@$(INSTALL) --editable '.[test]'
	@touch $@ $(VENV)/.serve
