PYTHON ?= python3
PORT ?= 8080
ARGS ?=
RELEASES ?= 16.11,latest
DIST ?= dist

VENV ?= .venv
BIN := $(VENV)/bin
# What serving needs is less than what the tests and the other tools of development need.
PACKAGE := $(VENV)/package-installed
TOOLS := $(VENV)/tools-installed
DOCS := $(VENV)/docs-installed
RELEASE := $(VENV)/release-installed
WITH_EXTRAS := '.[certificates,console,signatures,ssh]'

# Containers often switch bytecode caches off; without them each subprocess of a test compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/.cache/bytecode

.DEFAULT_GOAL := help
.PHONY: help venv serve test lowest releases clients bench bench-peers properties fuzz audit mutate lint format generate fresh evidence docs zipapp release address clean

help: ## list the targets
	@sed -n 's/^\([a-z.-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 12

venv: $(TOOLS) ## create .venv with the package and the development tools

$(PACKAGE): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable $(WITH_EXTRAS)
	touch $@

# pip 25.1 is the first that knows dependency groups.
$(TOOLS): $(PACKAGE)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

serve: $(PACKAGE) ## serve the starter scenario (PORT=8080, ARGS="--scenario empty")
	$(BIN)/fakeplat serve --port $(PORT) $(ARGS)

test: $(TOOLS) ## run all tests except those that install something (ARGS="-k members")
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not clients" $(ARGS)

LOWEST := .cache/lowest

lowest: ## run a tenth of the tests with the oldest libraries that pyproject.toml allows
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --editable $(WITH_EXTRAS) --group dev
	$(LOWEST)/bin/python -m pytest -n auto --dist loadfile -m "not clients" --tenth $(ARGS)

# Tests written for the default release name its first branch.
releases: $(TOOLS) ## run the tests that hold in every release with later ones (RELEASES=16.11,latest)
	$(BIN)/python -m pytest -n auto --dist loadfile -m every_release --fakeplat-releases=$(RELEASES) --fakeplat-default-branch=master $(ARGS)

clients: $(TOOLS) ## run the tests that install something: the other real clients and their programs, the built distributions
	$(BIN)/python -m tests.clients.programs
	$(BIN)/python -m pytest -n auto --dist loadgroup -p tests.clients.programs -m clients $(ARGS)

bench: $(TOOLS) ## run the benchmarks, as ratios to a bare aiohttp handler
	$(BIN)/python -m benchmarks $(ARGS)

PEERS := .cache/peers

# The programs of others, from the registries that pip and npm use.
$(PEERS)/installed: $(TOOLS)
	$(PYTHON) -m venv $(PEERS)/venv
	$(PEERS)/venv/bin/python -m pip install --quiet --editable . pytest pytest-aiohttp pytest-httpserver responses 'moto[server]'
	npm install --silent --no-audit --no-fund --prefix $(PEERS) json-server@0.17 @stoplight/prism-cli@5 wiremock@3
	touch $@

bench-peers: $(PEERS)/installed ## measure other fakes beside this one (node and java needed), into docs/performance.md
	$(BIN)/python -m benchmarks.peers $(PEERS)

properties: $(TOOLS) ## run the property tests with twenty times the examples, others in each run
	EXAMPLES_FACTOR=20 $(BIN)/python -m pytest -n auto --dist loadgroup -m "hypothesis and not clients" $(ARGS)

fuzz: $(TOOLS) ## send seeded traffic to all operations of three releases (ARGS="--requests 1000000 --seed 2 --releases 16.11")
	$(BIN)/python -m tools.fuzz $(ARGS)

audit: $(TOOLS) ## ask PyPI and npm for known vulnerabilities of the dependencies
	$(BIN)/python -m tools.audit

mutate: $(TOOLS) ## test the tests with changed abilities or modules (ARGS="read_project", ARGS="fakeplat/git --sample 2")
	$(BIN)/python -m tools.mutation $(ARGS)

lint: $(TOOLS) ## run ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(TOOLS) ## fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

generate: $(TOOLS) ## write the generated files
	$(BIN)/python tools/generate.py

fresh: $(TOOLS) ## fail if a generated file is stale
	$(BIN)/python tools/generate.py --check

evidence: $(TOOLS) ## write what the last complete runs of make test and make clients observed
	$(BIN)/python tools/evidence.py

$(DOCS): $(TOOLS)
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

docs: $(DOCS) ## build the documentation in .cache/site, without warnings
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict $(ARGS)

$(RELEASE): $(DOCS)
	$(BIN)/python -m pip install --quiet --group release
	touch $@

zipapp: $(RELEASE) ## build one file that serves with Python alone (DIST=dist)
	$(BIN)/python -m tools.distributions zipapp $(DIST)

release: $(RELEASE) ## set the version, close the changelog and build everything (VERSION=0.2.0, ARGS=--dry-run, DIST=dist)
	$(BIN)/python -m tools.release $(VERSION) --into $(DIST) $(ARGS)

address: $(TOOLS) ## set an invented address everywhere (NAME=documentation or source, URL=https://…)
	$(BIN)/python -m tools.release --set $(NAME) $(URL)

clean: ## remove all created files
	rm -rf .venv .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
