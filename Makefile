# Two commands: `make study` runs a study, `make test` checks the project.
STUDY ?= demo
# Where jobs run: a folder of workflow/profiles, or your own. Without: on CORES cores here.
PROFILE ?=
CORES ?= $(if $(PROFILE),,2)
PYTHON ?= python3
ARGUMENTS ?=
# A local file in place of the study's dataset; RETRY=1 tries failed repositories again.
DATASET ?=
RETRY ?=

ifneq ($(words $(CURDIR)),1)
$(error routebench cannot run in a folder whose path has spaces: $(CURDIR))
endif

VENV := .venv
BIN := $(VENV)/bin
ifeq ($(origin PYTHON)$(filter lock,$(MAKECMDGOALS)),command line)
ifneq ($(wildcard $(VENV)/.ready),)
$(warning PYTHON=$(PYTHON) is not used: $(VENV) is there; remove it to make it with another Python)
endif
endif
export PYTHONPATH := workflow
# Snakemake and matplotlib keep folders of their own in the home folder; a study needs none.
export XDG_CACHE_HOME := $(CURDIR)/.cache
export MPLCONFIGDIR := $(CURDIR)/.cache/matplotlib

.DEFAULT_GOAL := help
.PHONY: help study estimate test test-slurm test-faults test-all lint format bench bench-commits lock demo-issues references schemas clean

help:  ## lists the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.ready: envs/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "routebench needs Python 3.11 or later; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing the locked environment into $(VENV) (once)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
	  -r envs/requirements.txt
	@touch $@

study: $(VENV)/.ready  ## runs a study: make study STUDY=demo CORES=2, or PROFILE=slurm
	@$(BIN)/python -m routebench.planning.run --study "$(STUDY)" --cores "$(CORES)" --profile "$(PROFILE)" \
	  $(if $(DATASET),--dataset "$(DATASET)") $(if $(RETRY),--retry) -- $(ARGUMENTS)

estimate: $(VENV)/.ready  ## says what a study will ask of paid models, and the cost
	@$(BIN)/python -m routebench.planning.estimate --study "$(STUDY)" --cores $(CORES)

test: lint  ## checks everything
	@$(BIN)/python -m pytest $(ARGUMENTS)

test-slurm: $(VENV)/.ready  ## runs studies on a real Slurm, started for it on this machine
	@ROUTEBENCH_SLURM=1 $(BIN)/python -m pytest tests/slurm $(ARGUMENTS)

# The two halves run beside each other; both write what came of each input.
FAULTS := .cache/faults
test-faults: $(VENV)/.ready  ## runs hostile and damaged inputs, some 20 minutes; ends with a table
	@rm -rf $(FAULTS)
	@ROUTEBENCH_FAULTS=$(FAULTS)/ends.json $(BIN)/python -m pytest tests/faults/test_ends.py tests/faults/test_models.py $(ARGUMENTS) & \
	  ROUTEBENCH_FAULTS=$(FAULTS)/inputs.json $(BIN)/python -m pytest tests/faults/test_inputs.py $(ARGUMENTS); \
	  wait; PYTHONPATH=workflow:tests/faults $(BIN)/python -m campaign $(FAULTS)/inputs.json $(FAULTS)/ends.json

test-all: test test-slurm test-faults  ## everything, the cluster too

lint: $(VENV)/.ready  ## style and types
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/snakefmt --check Snakefile workflow/rules
	@$(BIN)/mypy
	@$(BIN)/snakemake --lint --configfile workflow/studies/demo.yaml

format: $(VENV)/.ready  ## mends what can be mended
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/snakefmt Snakefile workflow/rules

demo-issues: $(VENV)/.ready  ## writes the demo's Parquet from its readable source
	@$(BIN)/python -m routebench.datasets.demo

references: $(VENV)/.ready  ## writes the schema of the configuration, docs/config.md, docs/results.md
	@$(BIN)/python -m routebench.planning.references

schemas: references

bench: $(VENV)/.ready  ## measures speed: make bench STUDY=demo, or one section of it
	@$(BIN)/python benchmarks/bench.py --study "$(STUDY)" $(if $(DATASET),--dataset "$(DATASET)") $(ARGUMENTS)

bench-commits: $(VENV)/.ready  ## what 29 commits cost together: make bench-commits REPOSITORY=django.git
	@$(BIN)/python benchmarks/commits.py "$(REPOSITORY)" $(ARGUMENTS)

lock: $(VENV)/.ready  ## pins every version and hash again
	@$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/python -m pip install --quiet uv==0.13.9
	@$(VENV)/lock/bin/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 \
	  --no-emit-index-url --custom-compile-command "make lock" --upgrade \
	  envs/requirements.in -o envs/requirements.txt
	@$(BIN)/python -m routebench.planning.environment

clean:  ## removes results; downloads and mirrors stay
	@rm -rf results
