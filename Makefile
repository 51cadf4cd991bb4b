# Builds the engine for OpenBench, whose workers run
#   make -j EXE=<name> [EVALFILE=<network>]
# and for whoever prefers make to cargo:
#   make                        ./carrybit
#   make EXE=bin/other          under another name
#   make EVALFILE=net.nnue      with another network embedded
#   make SPSA=1                 with the search parameters as options, for tuning

EXE ?= carrybit
CARGO ?= cargo
CARGO_TARGET_DIR ?= target
export CARGO_TARGET_DIR

ifneq ($(EVALFILE),)
export CARRYBIT_EVALFILE := $(EVALFILE)
endif
ifneq ($(SPSA),)
FEATURES := --features spsa
endif
ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
BUILT := $(CARGO_TARGET_DIR)/release/carrybit$(SUFFIX)

.PHONY: carrybit
# The version names the network that was embedded.
carrybit:
	$(CARGO) build --release --locked --bin carrybit $(FEATURES)
	"$(BUILT)" --version
	cp -f "$(BUILT)" "$(EXE:.exe=)$(SUFFIX)"
