# Two commands on a fresh machine: `make check` shows the tool at work, `make test` runs all tests.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: check test lint bench conformance properties docs clean

check: $(READY)
	@$(BIN)/seaspec check rules/admiral.sea; code=$$?; \
	if [ $$code -gt 2 ]; then exit $$code; fi; \
	test $$code -eq 0 || echo "make check: a verdict was reached (seaspec check itself exits with $$code)"

test: $(READY)
	$(BIN)/python -m pytest -n auto

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python bench/run.py $(if $(QUICK),--quick)

conformance: $(READY)
	$(BIN)/python tests/conformance.py

properties: $(READY)
	$(BIN)/python docs/properties.py

docs: $(READY)
	$(BIN)/mkdocs build --strict

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	touch $@

clean:
	rm -rf $(VENV) bench/.env .mypy_cache .ruff_cache .pytest_cache .hypothesis site build dist
