# SPDX-License-Identifier: Apache-2.0
# For a Makefile. With Plexor in plexor/:
#
#   MEASURE = --dut rtl/irq.toml --rate 20k --dither 1024ns --count 2k
#   BUDGET = rtl/budget.toml
#   include plexor/ci/plexor.mk
#
# `make reflexes` measures and judges; `make reflexes KEEP=1` also makes a run that passes the one that
# later runs are compared with.
PLEXOR ?= plexor
OUT ?= plexor-out
BASE ?= plexor-base
FAIL_ON ?= p99>+5%

.PHONY: reflexes
reflexes:
	sh "$(PLEXOR)/ci/gate.sh" $(if $(BUDGET),--budget "$(BUDGET)") $(if $(KEEP),--keep) \
	    --base "$(BASE)" --fail-on "$(FAIL_ON)" "$(OUT)" $(MEASURE)
