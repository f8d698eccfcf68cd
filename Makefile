PYTHON ?= python3
PORT ?= 8080
ARGS ?=

BIN := .venv/bin
STAMP := .venv/installed

# Containers often switch bytecode caches off; without them each subprocess of a test compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.cache/bytecode

.DEFAULT_GOAL := help
.PHONY: help venv serve test clients bench mutate lint format generate fresh docs clean

help: ## list the targets
	@sed -n 's/^\([a-z.]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 12

venv: $(STAMP) ## create .venv with the package and the development tools

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

serve: $(STAMP) ## serve the starter scenario (PORT=8080, ARGS="--scenario empty")
	$(BIN)/fakeplat serve --port $(PORT) $(ARGS)

test: $(STAMP) ## run all tests except those that install something (ARGS="-k members")
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not clients" $(ARGS)

clients: $(STAMP) ## run the tests that install something: the other real clients, the built distributions
	$(BIN)/python -m pytest -n auto --dist loadgroup -m clients $(ARGS)

bench: $(STAMP) ## run the benchmarks, as ratios to a bare aiohttp handler
	$(BIN)/python -m benchmarks $(ARGS)

mutate: $(STAMP) ## test the tests with a weakened table of abilities (ARGS="read_project")
	$(BIN)/python tools/mutate.py $(ARGS)

lint: $(STAMP) ## run ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP) ## fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: $(STAMP) ## write the generated files
	$(BIN)/python tools/generate.py

fresh: $(STAMP) ## fail if a generated file is stale
	$(BIN)/python tools/generate.py --check

.venv/docs-installed: $(STAMP)
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

docs: .venv/docs-installed ## build the documentation in .cache/site, without warnings
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict $(ARGS)

clean: ## remove all created files
	rm -rf .venv .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
