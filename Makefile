# Calls and nothing else: what these do is in tools/, pyproject.toml and tests/.
PYTHON = python3
RUN = .venv/bin/python -m
# A run starts thousands of Pythons: what they import is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo afternoon setup test newest one test-full hardware lint fmax sustained gateware gateware-report flash wiring diagram waves features lookup site soc soc-report bench bench-twin scope-bench scope-picture stalls strangers captures mistakes weights house surface twin wheels mutants fuzz lock clean

demo:
	$(PYTHON) -m tools.setup demo
	$(RUN) tools.demo

setup:
	$(PYTHON) -m tools.setup test

test: setup
	$(RUN) pytest -n 3 --dist worksteal --durations=20 -m "not full and not hardware"
	$(RUN) tools.newest

newest: setup
	$(RUN) tools.newest

one:
	$(RUN) pytest $(T)

test-full: setup
	$(RUN) pytest -n 2 --dist worksteal --go-on --durations=40 -m "not hardware"
	PLEXOR_CORE=gateware $(RUN) pytest -n 2 --dist worksteal --go-on -m "not full and not hardware" tests/system

hardware: setup
	$(RUN) pytest tests/hardware -m hardware -s $(LINK:%='--plexor-link=%') $(ARGS)

lint: setup
	$(RUN) tools.lint

sustained: setup
	$(RUN) tools.sustained $(BOARD:%=--board=%$(BUILD:%=-%))

fmax: setup
	$(RUN) tools.fmax

gateware: setup
	$(RUN) tools.gateware $(BOARD)$(BUILD:%=-%)

gateware-report: setup
	$(RUN) tools.gateware.report

flash:
	$(PYTHON) -m tools.setup flash
	.venv/bin/plexor board flash $(BOARD) $(BUILD:%=--build=%) $(FLASH:1=--keep) $(LINK:%='--link=%')

wiring: setup
	$(RUN) tools.wiring

diagram: setup
	$(RUN) tools.diagram

waves: setup
	$(RUN) tools.waves

features: setup
	$(RUN) tools.features

lookup: setup
	$(RUN) tools.lookup

site: setup
	$(RUN) sphinx --quiet --fail-on-warning --keep-going --nitpicky docs build/site

soc-report: setup
	$(RUN) tools.gateware.systems

soc: setup
	$(RUN) tools.gateware.soc $(BOARD) $(DEEP:1=--deep)

bench: setup
	$(RUN) tools.bench

bench-twin: setup
	$(RUN) tools.bench_twin $(ARGS)

scope-bench: setup
	$(RUN) tools.scope_bench $(MINUTES:%=--minutes=%)

scope-picture: setup
	$(RUN) tools.scope_picture

stalls: setup
	$(RUN) tools.stalls $(MEASURE:%=--measure=%)

afternoon: setup
	$(RUN) tools.afternoon $(STUDY)

mistakes: setup
	$(RUN) tools.mistakes $(ARGS)

strangers: setup
	$(RUN) tools.strangers $(ARGS)

captures: setup
	$(RUN) tools.captures $(ARGS)

house: setup
	$(RUN) tools.house $(LISTS:1=--lists)

surface: setup
	$(RUN) tools.surface

weights: setup
	$(RUN) tools.weights

twin: setup
	$(RUN) tools.twin $(ARGS)

wheels: setup
	$(RUN) tools.wheels $(PLATFORM:%=--platform %)

mutants: setup
	$(RUN) tools.mutants $(ARGS)

fuzz: setup
	$(RUN) tools.fuzz $(CASES:%=--cases=%)

lock: setup
	$(RUN) tools.lock

clean:
	rm -rf .venv sim_build .pytest_cache .ruff_cache .hypothesis
