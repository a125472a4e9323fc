# `make demo` and `make test` work as the only command after a clone: they make `.venv` on their own.
# They need Python 3.11 or newer with venv and pip, and a package index.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)

.DEFAULT_GOAL := help
.PHONY: help demo test test-all mutation check format tables docs bench clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

# A `.venv` that was moved or copied, or whose Python is gone, has its stamps and does not work: it is made anew.
ifneq ($(wildcard $(READY) $(DEV)),)
ifneq ($(shell cd / && "$(CURDIR)/$(BIN)/python" -c 'import shardlang; print(shardlang.__file__)' 2>/dev/null),$(CURDIR)/shardlang/__init__.py)
$(shell rm -f $(READY) $(DEV))
BROKEN := yes
endif
endif

define install
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: set PYTHON=/path/to/python" >&2; exit 1; }
	@{ test -z "$(BROKEN)" && $(BIN)/python -m pip --version >/dev/null 2>&1; } || "$(PYTHON)" -m venv --clear $(VENV)
	@echo "installing into $(VENV), once …"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-input -e '$(1)'
endef

$(READY): pyproject.toml
	$(call install,.)
	@touch $@

$(DEV): pyproject.toml
	$(call install,.[dev])
	@touch $(READY) $@

demo: $(READY) ## the main job, then five famous bugs, each with its fix
	@bash docs/examples/demo.sh $(BIN)/shardlang

test: $(DEV) ## the everyday tests
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

test-all: $(DEV) ## every test
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

mutation: $(DEV) ## how many planted changes of the rules and the planning the tests notice; takes most of an hour
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-input 'mutmut>=3.8'
	@$(BIN)/python -m tests.mutation

check: $(DEV) ## format, lint, types, floors, generated files
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m shardlang.syntax.build --check
	@$(BIN)/python -m shardlang.tools.colouring.textmate --check

format: $(DEV) ## format, and mend what ruff can mend
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .

tables: $(DEV) ## rebuild the saved parser, and the grammar for editors, from the grammar
	@$(BIN)/python -m shardlang.syntax.build
	@$(BIN)/python -m shardlang.tools.colouring.textmate

docs: $(DEV) ## the documentation as HTML, in docs/_build/html
	@$(BIN)/python -m sphinx -q -W -b html docs docs/_build/html

bench: $(DEV) ## the speed of start-up, parsing, inference, formulas, sweeps and the language server (installs JAX to compare with)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-input -e '.[dev,bench]'
	@$(BIN)/python tests/bench/startup.py
	@$(BIN)/python tests/bench/parse_speed.py
	@$(BIN)/python tests/bench/infer_speed.py
	@$(BIN)/python tests/bench/formula_speed.py
	@$(BIN)/python tests/bench/sweep_speed.py
	@PYTHONPATH=. $(BIN)/python tests/bench/lsp_latency.py

clean: ## remove everything that was made here
	rm -rf $(VENV) build dist docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
