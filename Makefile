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

# Some machines tell Python to keep no bytecode. Then each of the suite's thousand programs would compile Outlive anew: 0.4 of 0.7 CPU seconds of a death.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check death harmless hostile trust pythons ray notebook browser bench bench-deaths verdicts docs pictures confusion versions wheels clean

help: ## show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 14

$(READY): pyproject.toml hatch_build.py $(wildcard src/outlive/inside/native/*)
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

test: $(READY) $(NOTEBOOKS) browser check ## all tests, real deaths and real browsers included; the ten slowest are named (ROOM=recorder: those of one room)
	@$(BIN)/python -m compileall -q src
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations 10 $(if $(ROOM),tests/$(ROOM)) || \
	  { [ $$? = 1 ] && echo "── failed beside the others; once more alone, since what fails twice is broken (each is listed above)" && \
	    $(BIN)/python -m pytest --last-failed --last-failed-no-failures none --maxfail 3 -v; }

check: $(READY) ## format, lint, types, import laws (seconds)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

death: $(READY) ## only the tests in which something really dies
	@$(BIN)/python -m pytest -n $(WORKERS) -m death

harmless: $(READY) ## several hundred programs, bare and watched, on every Python here (ONLY='3.12 and forks', EVERY=3: each third; an hour or two); then the page of figures
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev-harmless]'
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m harmless --harmless .harmless/programs.json tests/harmless/test_same.py $(if $(ONLY),-k '$(ONLY)') $(if $(EVERY),--every $(EVERY)); \
	  ended=$$?; [ -n '$(ONLY)$(EVERY)' ] || $(MAKE) --no-print-directory hostile || ended=1; \
	  $(BIN)/python docs/trust.py; exit $$ended

hostile: $(READY) ## every shape of secret in every place, 10,000 forged records, 2,000 archives, messages of 1 MB, forks, detect under kills (part of harmless; 50 min); then the page
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m harmless --harmless .harmless/programs.json tests/harmless/test_leaks.py tests/recorder/test_forged_records.py; \
	  ended=$$?; $(BIN)/python -m pytest -m harmless --harmless .harmless/programs.json tests/model/test_patterns.py || ended=1; \
	  $(BIN)/python bench/forks.py --figures .harmless || ended=1; \
	  $(BIN)/python bench/chaos.py --figures .harmless || ended=1; \
	  $(BIN)/python docs/trust.py; exit $$ended

trust: $(READY) ## the page of figures (docs/trust.md), from what was last measured
	@$(BIN)/python docs/trust.py

pythons: $(READY) ## Python 3.14 and a free-threaded 3.13 for `make harmless`, from Debian's packages (minutes)
	@sh tests/harmless/get_pythons.sh

ray: $(READY) ## the tests on a cluster of Ray that loses nodes, which `make test` skips where Ray is not installed; installs it (70 MB; two to three minutes)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[scale]' pandas
	@$(BIN)/python -m pytest -v tests/jobs/test_ray.py

notebook: $(READY) $(NOTEBOOKS) browser ## only the tests of notebooks: kernels, runners, front ends in a browser
	@$(BIN)/python -m pytest -n $(WORKERS) -m notebook

versions: $(READY) ## what rests on TensorFlow's private parts, with other versions of it (VERSIONS="2.16 2.20", WITH=python3.11, QUICK=1: the parts alone; long)
	@$(or $(WITH),$(BIN)/python) tests/helpers/tensorflow_versions.py $(if $(QUICK),--quick) $(VERSIONS)

confusion: $(READY) ## all causes against all victims, as it goes (ONLY='lock_* kernel_*', RESUME=file, MARKDOWN=docs/confusion.md)
	@PYTHONPATH=demo $(BIN)/python tests/helpers/confusion_table.py $(if $(RESUME),--resume $(RESUME)) $(if $(MARKDOWN),--markdown $(MARKDOWN)) -- $(foreach name,$(ONLY),'$(name)')

bench: $(READY) ## cost of `outlive run` beside memray, Fil and Scalene (long; use a quiet machine)
	@$(BIN)/python bench/run.py

bench-deaths: $(READY) ## Outlive and five baselines through programs that really die (DEATHS="--quick" by default)
	@$(BIN)/python bench/deaths/score.py $(DEATHS)

verdicts: $(READY) ## let the manual's victims die again and keep what Outlive says of them (ONLY='deadlocked …')
	@$(BIN)/python docs/verdicts.py $(ONLY)

wheels: $(READY) ## the files of a release into dist/: a wheel for each platform, no compiler needed to install them, and the sources
	@rm -rf dist
	@$(BIN)/python release/wheels.py

docs: $(READY) ## the manual, with search, into site/
	@$(BIN)/python docs/build.py site

pictures: $(READY) $(NOTEBOOKS) browser ## photograph the page about a real death for the manual (needs a control group)
	@$(BIN)/python docs/pictures/take.py

clean: ## remove what make has made
	rm -rf $(VENV) .harmless dist site .bench-envs .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
