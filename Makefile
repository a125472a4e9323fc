# `make demo` and `make test` work as the only command after a clone: they make `.venv` on their own.
# They need Python 3.11 or newer with venv and pip, and a package index.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check format tables docs bench clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: set PYTHON=/path/to/python" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv --clear $(VENV)
	@echo "installing into $(VENV), once …"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-input -e '.[dev]'
	@touch $@

demo: $(READY) ## the main job, then five famous bugs, each with its one-line fix
	@bash docs/examples/demo.sh $(BIN)/shardlang

test: $(READY) ## the everyday tests
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

test-all: $(READY) ## every test
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

check: $(READY) ## format, lint, types, floors, saved parser
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m shardlang.syntax.build --check

format: $(READY) ## format, and mend what ruff can mend
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .

tables: $(READY) ## rebuild the saved parser from the grammar
	@$(BIN)/python -m shardlang.syntax.build

docs: $(READY) ## the documentation as HTML, in docs/_build/html
	@$(BIN)/python -m sphinx -q -W -b html docs docs/_build/html

bench: $(READY) ## start-up and parse speed
	@$(BIN)/python tests/bench/startup.py
	@$(BIN)/python tests/bench/parse_speed.py

clean: ## remove everything that was made here
	rm -rf $(VENV) build dist docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
