# Everything sets itself up in .venv on a machine with Python >= 3.10 and a C compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NOTEBOOKS := $(VENV)/.notebooks
# One more than there are cores: many tests wait for something (a deadline, a browser, a process that ends) most of their time.
WORKERS ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 1 )))
DEATHS ?= --quick
VERSIONS ?= 2.16 2.18 2.20

.DEFAULT_GOAL := help
.PHONY: help demo test check death notebook browser bench bench-deaths docs pictures confusion versions clean

help: ## show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 14

$(READY): pyproject.toml hatch_build.py $(wildcard src/outlive/record/inside/native/*)
	@echo "── setting up $(VENV): Outlive, its development tools and TensorFlow (CPU); a few minutes the first time"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or later is needed; try: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(NOTEBOOKS): $(READY)
	@echo "── adding JupyterLab, Notebook, nbclassic, papermill and Playwright, which the tests of notebooks drive"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[jupyter,dev-notebooks]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target $(VENV)/ipykernel6 'ipykernel<7' 'ipython<9'
	@touch $@

browser: ## a Chromium for the tests of notebooks: installed where it is missing and can be (Debian, as root)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
	  { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && \
	    echo "── installing Debian's chromium, which the tests of notebooks drive" && \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
	  echo "── no Chromium, and it cannot be installed here: the tests in a browser will say so"

demo: $(READY) ## a TensorFlow program is really killed, and Outlive says why (under two minutes)
	@$(BIN)/python demo/run.py

test: $(READY) $(NOTEBOOKS) browser check ## all tests, real deaths and real browsers included
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

check: $(READY) ## format, lint, types, import laws (seconds)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

death: $(READY) ## only the tests in which something really dies
	@$(BIN)/python -m pytest -n $(WORKERS) -m death

notebook: $(READY) $(NOTEBOOKS) browser ## only the tests of notebooks: kernels, runners, front ends in a browser
	@$(BIN)/python -m pytest -n $(WORKERS) -m notebook

versions: $(READY) ## what rests on TensorFlow's private parts, with other versions of it (VERSIONS="2.16 2.20", WITH=python3.11; long)
	@$(or $(WITH),$(BIN)/python) tests/versions.py $(VERSIONS)

confusion: $(READY) ## all causes against all victims, as it goes (ONLY='lock_* kernel_*', RESUME=file, MARKDOWN=docs/confusion.md)
	@PYTHONPATH=demo $(BIN)/python tests/confusion.py $(if $(RESUME),--resume $(RESUME)) $(if $(MARKDOWN),--markdown $(MARKDOWN)) -- $(foreach name,$(ONLY),'$(name)')

bench: $(READY) ## cost of `outlive run` beside memray, Fil and Scalene (long; use a quiet machine)
	@$(BIN)/python bench/run.py

bench-deaths: $(READY) ## Outlive and five baselines through programs that really die (DEATHS="--quick" by default)
	@$(BIN)/python bench/deaths/score.py $(DEATHS)

verdicts: $(READY) ## let the manual's victims die again and keep what Outlive says of them (ONLY='deadlocked …')
	@$(BIN)/python docs/verdicts.py $(ONLY)

docs: $(READY) ## the manual, with search, into site/
	@$(BIN)/python docs/build.py site

pictures: $(READY) $(NOTEBOOKS) browser ## photograph the page about a real death for the manual (needs a control group)
	@$(BIN)/python docs/pictures/take.py

clean: ## remove what make has made
	rm -rf $(VENV) site .bench-envs .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
