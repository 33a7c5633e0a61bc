# make run | reproduce | test | bench | lint | format | clean: each sets up .venv by itself, and is quick when nothing changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The part of the suite that runs a second time without compilation: Numba's machine code is invisible to coverage.
PLAIN ?= $(wildcard tests/kernels tests/languages tests/representations tests/learners tests/selection tests/methods)

# Test files are shared out among processes: one for each core, four at most.
TOGETHER ?= -n auto --maxprocesses 4 --dist loadfile

export PIP_DISABLE_PIP_VERSION_CHECK := 1
PIP_INSTALL = $(BIN)/python -m pip install -qq --constraint constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run reproduce test bench lint format clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1 \t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

run: $(VENV)/.run ## evolve the Pagie polynomial with PGE, draw pagie.png
	$(BIN)/gramarye run pagie --method pge --seed 1 --plot pagie.png

reproduce: $(VENV)/.run ## run the paper's experiments, leave reproduction/report.html
	$(BIN)/gramarye reproduce --out reproduction

test: lint ## linters, types, tests, coverage
	@echo "— tests"
	$(BIN)/python -m pytest $(TOGETHER) --cov --cov-report=
	@echo "— the kernels once more, without compilation"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(TOGETHER) -m "not slow and not compiled" --cov --cov-append --cov-report= $(PLAIN)
	@echo "— branch coverage"
	$(BIN)/python -m coverage report --fail-under=95

bench: $(VENV)/.bench ## measure speed, ours and our rivals'
	$(BIN)/python -m bench

lint: $(VENV)/.test ## linters and types
	@echo "— linters and types"
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.test ## format the sources, repair what ruff can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove what these targets made
	rm -rf $(VENV) .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist pagie.png reproduction

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
	@echo "— installing gramarye[report]"
	@$(PIP_INSTALL) --editable '.[report]'
	@touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml constraints.txt
	@echo "— installing gramarye[all,dev]"
	@$(PIP_INSTALL) --editable '.[all,dev]'
	@touch $(VENV)/.run $@

$(VENV)/.bench: $(VENV)/.made pyproject.toml constraints.txt
	@echo "— installing gramarye[bench]"
	@$(PIP_INSTALL) --editable '.[bench]'
	@touch $@
