# make run | reproduce | quick | test | bench | benchmarks | lint | format | clean: each sets up .venv by itself, and is quick when nothing changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The part of the suite that runs a second time without compilation: Numba's machine code is invisible to coverage.
PLAIN ?= $(wildcard tests/kernels tests/languages tests/derivations)

# Rooms without long tests, and what the package promises as a whole.
QUICK ?= $(wildcard tests/grammar tests/derivations tests/data tests/learners tests/selection tests/replacement tests/store \
	tests/statistics tests/terminal tests/test_*.py) --deselect tests/test_documentation.py --deselect tests/test_testing.py

# Test files are shared out among processes, one for each core, four at most. Without reordering: xdist would
# begin those with the fewest tests last, and some of these take longest.
TOGETHER ?= -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

export PIP_DISABLE_PIP_VERSION_CHECK := 1
PIP_INSTALL = $(BIN)/python -m pip install -qq --constraint constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run reproduce quick test bench benchmarks lint format clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1 \t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: $(VENV)/.run ## find a formula with PGE, draw quartic.png
	$(BIN)/gramarye run quartic --method pge --seed 2 --plot quartic.png
	@echo
	@echo "Next: $(BIN)/gramarye run pagie --seed 1    the problem of the PGE paper"
	@echo "      make reproduce                      all experiments of the paper, a few minutes"

reproduce: $(VENV)/.run ## run the paper's experiments, leave reproduction/report.html
	$(BIN)/gramarye reproduce --out reproduction

test: lint ## linters, types, tests, coverage
	@echo "— tests"
	$(BIN)/python -m pytest $(TOGETHER) --cov --cov-report=
	@echo "— the kernels once more, without compilation"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(TOGETHER) -m "not slow and not compiled" --cov --cov-append --cov-report= $(PLAIN)
	@echo "— branch coverage"
	$(BIN)/python -m coverage report --fail-under=95

quick: $(VENV)/.test ## what to run between two edits: linters, and the tests that take no second
	$(BIN)/ruff check
	$(BIN)/python -m pytest -q $(TOGETHER) -m "not slow" $(QUICK)

bench: $(VENV)/.bench ## measure speed, ours and our rivals'
	$(BIN)/python -m bench

benchmarks: $(VENV)/.benchmarks ## compare formulas with those of other packages, 50 minutes at a time
	$(BIN)/python -m benchmarks.regression docs/experiments/benchmark.csv --minutes 50

lint: $(VENV)/.test ## linters and types
	@echo "— linters and types"
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.test ## format the sources, repair what ruff can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove what these targets made
	rm -rf $(VENV) .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist quartic.png reproduction

# One virtual environment, and a stamp for each set of packages that is in it.

NEW_ENOUGH = $(shell $(PYTHON) -c 'import sys; print("yes" if sys.version_info >= (3, 11) else sys.version.split()[0])' 2>/dev/null)
HAS_VENV = $(shell $(PYTHON) -c 'import ensurepip, venv; print("yes")' 2>/dev/null)

$(VENV)/.made:
	$(if $(NEW_ENOUGH),,$(error $(PYTHON) does not start: install Python 3.11 or newer, or name one: make PYTHON=python3.12))
	$(if $(filter yes,$(NEW_ENOUGH)),,$(error gramarye needs Python 3.11 or newer, $(PYTHON) is $(NEW_ENOUGH): name a newer one: make PYTHON=python3.12))
	$(if $(HAS_VENV),,$(error $(PYTHON) has no venv module: install it (Debian, Ubuntu: apt install python3-venv), or name another: make PYTHON=python3.12))
	@echo "— making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made pyproject.toml constraints.txt
	@echo "— installing gramarye and what it needs into $(VENV) (about a minute)"
	@$(PIP_INSTALL) --editable '.[report]'
	@touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml constraints.txt
	@echo "— installing gramarye, its extras and the tools of its developers into $(VENV) (a few minutes)"
	@$(PIP_INSTALL) --editable '.[all,dev]'
	@touch $(VENV)/.run $@

$(VENV)/.bench: $(VENV)/.made pyproject.toml constraints.txt
	@echo "— installing what gramarye is measured against into $(VENV) (a minute)"
	@$(PIP_INSTALL) --editable '.[bench]'
	@touch $@

# rils-rols comes as source whose setup.py imports pybind11, which it doesn't ask for: it has to be there before.
$(VENV)/.benchmarks: $(VENV)/.bench
	@echo "— building rils-rols (a minute)"
	@$(PIP_INSTALL) pybind11 setuptools wheel
	@$(PIP_INSTALL) --no-build-isolation rils-rols
	@touch $@
