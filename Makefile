# make run    the main job: seven methods, two tasks, the embedded model, Table 1 and Figure 2
# make test   the tests; make test-all the slow ones
# make lab    JupyterLab on the notebooks
# make lint   ruff, mypy, stripped notebooks

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
METHODS := standard,cot,cot-sc,act,react,cot-sc-then-react,react-then-cot-sc
RUN := $(BIN)/react-kit run --task hotpotqa,fever --method $(METHODS)

.PHONY: run test test-all lab lint

run: $(VENV)/.run
	$(BIN)/react-kit fetch embedded
	@echo "Three questions and three claims, live:"
	$(RUN) --n 3 --out runs/live
	@echo "Forty questions and forty claims, from recorded replies of the same model:"
	$(RUN) --n 40 --replay tiny --replay-only --out runs/replayed
	$(BIN)/react-kit report runs/live runs/replayed --out figures

test: $(VENV)/.dev
	$(BIN)/react-kit fetch embedded
	$(BIN)/python -m pytest -m "not slow"

test-all: $(VENV)/.dev
	$(BIN)/react-kit fetch embedded
	$(BIN)/python -m pytest -m slow

lab: $(VENV)/.run
	$(BIN)/react-kit fetch embedded
	$(BIN)/jupyter lab notebooks

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/nbstripout --verify notebooks/*.ipynb

$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[embedded]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.run

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "react-kit needs Python 3.11 or later, this is " + sys.version.split()[0] + "; name another one: make run PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
