# Calls and nothing else: what these do is in tools/, pyproject.toml and tests/.
PYTHON = python3
RUN = .venv/bin/python -m

.PHONY: demo setup test test-full lint fmax soc bench mutants lock clean

demo:
	$(PYTHON) -m tools.setup demo
	$(RUN) tools.demo

setup:
	$(PYTHON) -m tools.setup test

test: lint
	$(RUN) pytest -n 2 --dist worksteal --durations=20 -m "not full and not hardware"

test-full: lint
	$(RUN) pytest -n 2 --dist worksteal -m "not hardware"

lint: setup
	$(RUN) tools.lint

fmax: setup
	$(RUN) tools.fmax

soc: setup
	$(RUN) plexor_soc.build $(BOARD)

bench: setup
	$(RUN) tools.bench

mutants: setup
	$(RUN) tools.mutants

lock: setup
	$(RUN) tools.lock

clean:
	rm -rf .venv sim_build .pytest_cache .ruff_cache .hypothesis
