# Two commands on a fresh machine: `make check` shows the tool at work, `make test` runs all tests. `make help` tells the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Python keeps what it has compiled, or each of some thousand processes would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help check test test-fast durations lint adding bench conformance properties attack docs clean plant

help:  ## tell what can be made
	@sed -n 's/^\([a-z-]*\):.*  ## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | while IFS="$$(printf '\t')" read -r name what; do \
	printf 'make %-12s %s\n' "$$name" "$$what"; done

check: $(READY)  ## check a house rule, to see the tool at work
	@$(BIN)/seaspec check rules/admiral.sea; code=$$?; \
	if [ $$code -gt 2 ]; then exit $$code; fi; \
	test $$code -eq 0 || echo "make check: a verdict was reached (seaspec check itself exits with $$code)"

test: $(READY)  ## run all tests
	$(BIN)/python -m pytest -n auto

test-fast: $(READY)  ## run the tests that are worth most a second: under a minute on two cores
	$(BIN)/python -m pytest -n auto -p tests.fast --fast

durations: $(READY)  ## run all tests, and write down how long each takes: what test-fast chooses by
	$(BIN)/python -m pytest -n auto -p tests.fast --durations-file tests/durations.json

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

adding: $(READY)  ## add nodes to a copy, and count the places that the type checker names
	$(BIN)/python tests/adding_a_node.py

bench: $(READY)  ## run the benchmarks (QUICK=1: the short ones)
	$(BIN)/python bench/run.py $(if $(QUICK),--quick)

conformance: $(READY)  ## compare native code with the interpreter, a million plies of each game
	$(BIN)/python tests/conformance.py

properties: $(READY)  ## find out anew what docs/properties.md says of the games (half an hour)
	$(BIN)/python docs/properties.py

attack: $(READY)  ## attack the verdicts with random games (GAMES=2000 SEED=1)
	cd tests && ../$(BIN)/python -m attack $(if $(GAMES),--games $(GAMES)) $(if $(SEED),--seed $(SEED))

plant: $(READY)  ## plant faults in the engine, and say which no test notices (FAULTS=200 SEED=1)
	$(BIN)/python tests/plant --faults $(or $(FAULTS),200) --seed $(or $(SEED),1) $(ARGS)

docs: $(READY)  ## build the pages of docs/
	$(BIN)/mkdocs build --strict

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	touch $@

clean:  ## remove all that was made
	rm -rf $(VENV) bench/.env .mypy_cache .ruff_cache .pytest_cache .hypothesis site build dist
