# make report: set up, run config.yaml, print the counts by status and where the report is.
# make test:   set up, run the test suite.   make smoke, make lint, make clean: see below.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: report smoke test lint schema clean setup

setup: $(READY)

# The environment is built once, and again only when the lock or the project's metadata change.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Gramworks needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

report: $(READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --cores all
	@$(BIN)/gramworks status

smoke: $(READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --cores all --configfile config/smoke.yaml
	@$(BIN)/gramworks status --config config/smoke.yaml

test: $(READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" python -m pytest -n 2 --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	PATH="$(CURDIR)/$(BIN):$$PATH" python .ci/workflow_lint.py

schema: $(READY)
	$(BIN)/gramworks schema --write

clean:
	rm -rf results .snakemake
