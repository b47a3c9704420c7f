# Everything sets itself up in .venv on a machine with Python >= 3.10 and a C compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help demo test check death bench docs confusion clean

help: ## show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 12

$(READY): pyproject.toml hatch_build.py $(wildcard src/outlive/record/inside/native/*)
	@echo "── setting up $(VENV): Outlive, its development tools and TensorFlow (CPU); a few minutes the first time"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or later is needed; try: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY) ## a TensorFlow program is really killed, and Outlive says why (under two minutes)
	@$(BIN)/python demo/run.py

test: $(READY) check ## all tests, real deaths included
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

check: $(READY) ## format, lint, types, import laws (seconds)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

death: $(READY) ## only the tests in which something really dies
	@$(BIN)/python -m pytest -n $(WORKERS) -m death

confusion: $(READY) ## the table of all causes against all victims
	@PYTHONPATH=demo $(BIN)/python tests/confusion.py

bench: $(READY) ## cost of `outlive run` beside memray, Fil and Scalene (long; use a quiet machine)
	@$(BIN)/python bench/run.py

docs: $(READY) ## the manual, one page a cause, into site/
	@$(BIN)/python docs/build.py site

clean: ## remove what make has made
	rm -rf $(VENV) site .bench-envs .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
