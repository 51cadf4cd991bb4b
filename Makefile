# Builds the engine for OpenBench, whose workers run
#   make -j EXE=<name> [EVALFILE=<network>]
# and for people who prefer make to cargo:
#   make                        ./carrybit
#   make EXE=bin/other          under another name
#   make EVALFILE=net.nnue      with another network embedded
#   make SPSA=1                 with the search parameters as options, for tuning
#   make pgo                    optimised by a profile of its own bench, for processors like
#                               this one (needs rustup component add llvm-tools)
#   make install                what was built, with man pages and completions for shells
#   make uninstall
# both with PREFIX=/usr/local, and below DESTDIR for a package

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

# With --target, the flags of profiled builds do not reach build scripts and macros.
PROFILED := $(abspath $(CARGO_TARGET_DIR))/pgo
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
LLVM_PROFDATA ?= $(shell rustc --print target-libdir)/../bin/llvm-profdata
PROFILED_BUILT = $(PROFILED)/$(HOST)/release/carrybit$(SUFFIX)
PROFILED_BUILD = $(CARGO) build --release --locked --bin carrybit $(FEATURES) --target $(HOST) --target-dir "$(PROFILED)"

PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)/bin/carrybit$(SUFFIX)
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: carrybit pgo install uninstall
# The version names the network that was embedded.
carrybit:
	$(CARGO) build --release --locked --bin carrybit $(FEATURES)
	"$(BUILT)" --version
	cp -f "$(BUILT)" "$(EXE:.exe=)$(SUFFIX)"

pgo:
	rm -rf "$(PROFILED)/raw"
	CARGO_ENCODED_RUSTFLAGS="-Cprofile-generate=$(PROFILED)/raw" $(PROFILED_BUILD)
	"$(PROFILED_BUILT)" bench
	"$(LLVM_PROFDATA)" merge -o "$(PROFILED)/bench.profdata" "$(PROFILED)/raw"
	CARGO_ENCODED_RUSTFLAGS="-Cprofile-use=$(PROFILED)/bench.profdata" $(PROFILED_BUILD)
	"$(PROFILED_BUILT)" --version
	cp -f "$(PROFILED_BUILT)" "$(EXE:.exe=)$(SUFFIX)"

# Builds nothing, since root may have no cargo.
install:
	@test -x "$(EXE:.exe=)$(SUFFIX)" || { echo "There is no $(EXE:.exe=)$(SUFFIX): run make first" >&2; exit 1; }
	mkdir -p "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 "$(EXE:.exe=)$(SUFFIX)" "$(INSTALLED)"
	"$(INSTALLED)" --install-manual "$(SHARE)"

uninstall:
	rm -f "$(INSTALLED)" "$(SHARE)"/man/man1/carrybit.1 "$(SHARE)"/man/man1/carrybit-analyse.1
	rm -f "$(SHARE)"/bash-completion/completions/carrybit "$(SHARE)"/fish/vendor_completions.d/carrybit.fish
	rm -f "$(SHARE)"/zsh/site-functions/_carrybit
