# The entry points of the project; each target is a thin call of a script.
#   make demo    set up, build, and walk one kernel through every stage
#   make test    set up, build, and run every check
#   make build   PRESET=release|debug|asan, JOBS=n
#   make stress  what tests do with chance, in large numbers
#   make mistakes  plant mistakes in the emitters and see that tests find them
SHELL := /bin/bash
.DEFAULT_GOAL := build
.NOTPARALLEL:

PRESET ?= release
VENV_PYTHON := .venv/bin/python
export JOBS
# Modules of .venv are compiled when they are first imported; an environment that forbids to keep that makes every import
# of PyTorch three times as long.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup vendor build demo test stress mistakes bench docs format lint clean

setup:
	@scripts/setup.sh

build: setup
	@scripts/build.sh "$(PRESET)"

demo: build
	@$(VENV_PYTHON) scripts/demo.py

# The vendor's packages, which only tests use.
vendor: setup
	@scripts/vendor.sh

# The build is a part of the test run, so that a build failure still ends with totals; the vendor's packages are fetched
# meanwhile.
test: setup
	@$(VENV_PYTHON) scripts/run_tests.py

# What `make test` tries in small numbers: processes that share the cache and are killed, 200 rounds, whole test
# matrices and sweeps, optimised kernels, wrong integers in 300 programs, 400 mutants of each shard, and 50,000 calls.
stress: build
	@ATTN_CACHE_ROUNDS=200 $(VENV_PYTHON) -m pytest -q -s test/python/cache/test_cache_stress.py
	@ATTN_WHOLE_MATRIX=1 $(VENV_PYTHON) -m pytest -q -m sweep test/python
	@ATTN_WHOLE_MATRIX=1 $(VENV_PYTHON) -m pytest -q test/python/ops/test_attention_matrix.py test/python/kernels/test_widths.py
	@ATTN_WHOLE_MATRIX=1 $(VENV_PYTHON) -m pytest -q test/python/kernels/test_exact_products.py test/python/ops/test_ops_attn_res.py test/python/ops/test_ops_neighborhood.py
	@ATTN_WRONG_PROGRAMS=300 $(VENV_PYTHON) -m pytest -q test/python/verification/test_random_programs.py -k wrong_numbers
	@ATTN_WHOLE_MATRIX=1 ATTN_FUZZ_COUNT=400 $(VENV_PYTHON) -m pytest -q test/python/tools/test_malformed_ir.py
	@ATTN_WHOLE_MATRIX=1 ATTN_FUZZ_CALLS=50000 $(VENV_PYTHON) -m pytest -q -s test/python/call/test_call_fuzz.py

# All of them, or MISTAKES="hivm-missing linalg": those whose names begin so.
mistakes: build vendor
	@$(VENV_PYTHON) scripts/plant_mistakes.py $(MISTAKES)

bench: build
	@$(VENV_PYTHON) test/benchmark/run.py

docs: setup
	@$(VENV_PYTHON) scripts/generate_docs.py

format: setup
	@scripts/format.sh

lint: build
	@scripts/lint.sh

# Keeps .venv: it is slow to make and depends on requirements.txt alone.
clean:
	rm -rf build build-debug build-asan build-lint dist
	rm -f python/attn/_core*.so python/attn/_host*.so python/attn/_launcher*.so
