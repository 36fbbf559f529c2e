# How the project is tested and measured; the Makefile includes this.

check:               ## all tests that take under two minutes, side by side
	+@$(PARALLEL) check-parts
	@echo "check: all passed; $$(cat $(BUILD)/skipped/* | wc -l) parts were skipped"
	@cat $(BUILD)/skipped/*

check-parts: check-quick run-mistakes run-solve run-install run-starve run-parallel run-together run-drawn run-paper run-hostile run-states
check-quick: run-floors run-same run-heart run-plain run-one-file run-equations run-float run-double run-shown run-command run-judge run-check   ## the first of them

check-long: export PAIRS = 100
check-long: export LONG = yes
check-long: check run-referee run-whole run-outcomes run-lessons run-documented check-text check-bits check-figures check-book check-numpy check-scipy check-valgrind run-counts run-exercises run-grade run-wheel run-fuzz   ## and those that take longer

# Parts, which may run side by side (make -j2): each a script.
SCRIPTS  = run-equations run-floors run-command run-judge run-check run-drawn run-hostile \
  run-parallel run-fuzz run-solve run-lessons run-exercises run-grade run-install run-wheel run-states \
  run-outcomes run-heart run-plain run-one-file run-paper run-documented run-mistakes run-whole
$(SCRIPTS): all
	sh tests/$(@:run-%=%).sh $(BUILD)
run-together: all    # PAIRS=100: each call that changes a file is the last once
	sh tests/together.sh $(BUILD) $(PAIRS)
run-heart run-documented: heart
run-documented: $(BUILD)/one-file
run-referee: all $(BUILD)/tests/referee   ## what derive says, beside fits that know nothing of it
	sh tests/referee.sh $(BUILD)
run-plain: $(BUILD)/tests/plain
run-one-file: $(BUILD)/one-file
run-starve: all      # each allocation is refused once
	sh tests/starve.sh $(BUILD)
run-same: all        # every weight is what it was
	sh tests/same.sh $(BUILD) quick
check-same: all      ## and every weight of the demo and of the recipes
	sh tests/same.sh $(BUILD)
run-float run-double: run-%: $(BUILD)/tests/% all
	QKV_PATH=$(BUILD)/variants $<
run-shown: all       # what the commands print is what tests/shown has
	sh lessons/check.sh $(BUILD) tests/shown/*.md
shown-update: all    ## write what they print now, to be looked at
	sh lessons/check.sh -u $(BUILD) tests/shown/*.md

check-figures: figures   ## the lessons' figures are what the recipes draw
	sh lessons/figures.sh $(BUILD)
check-book: $(if $(shell command -v pandoc),book)   ## the book and its diagrams, looked at by a browser
	sh tests/book.sh $(BUILD)
check-web: all $(if $(shell command -v emcc),web)   ## the book with the program in it, in headless Chromium (emscripten, node-acorn)
	sh tests/web.sh $(BUILD)
check-text: all      ## each variant learns a real text (SEEDS=1 for one seed each)
	sh tests/text.sh $(BUILD) $(SEEDS)
check-bits: all      ## the same bits from other compilers and instruction sets
	sh tests/bits.sh $(BUILD)
check-torch: all     ## logits and gradients again in PyTorch, where there is one
	sh tests/torch.sh $(BUILD)
check-hf: all        ## published models and checkpoints as `transformers` has them, where there is one
	sh tests/hf.sh $(BUILD)
check-numpy: all     ## what the lessons' fold-outs print, run by NumPy, where there is one
	sh tests/numpy.sh $(BUILD)
check-scipy: all     ## intervals, tests and verdicts again in SciPy, where there is one
	sh tests/scipy.sh $(BUILD)
check-valgrind:      ## a short set under valgrind, which knows no AVX-512
	$(MAKE) all BUILD=$(BUILD)/valgrind ARCH=-march=x86-64-v3 OPT='-O1 -g'
	sh tests/valgrind.sh $(BUILD)/valgrind

SOURCES  = $(sort $(wildcard core/*/*.[ch] variants/*.c tests/*.[ch] \
  tests/*/*.c lessons/one-file/*.c lessons/depth/*.c lessons/exercises/*.c lessons/exercises/solutions/*.c))
# A product of two ints overflows before it is made wider. The place of an entry in a
# matrix is an int by rule (matrix_entries), so pointer offsets are let through.
TIDY     = bugprone-implicit-widening-of-multiplication-result
# For one instruction set, by the compiler of tests/counts.tsv; elsewhere it is skipped.
COUNTS   = $(BUILD)/counts
run-counts counts-update: counts-built
counts-built:
	$(MAKE) BUILD=$(COUNTS) ARCH=-march=x86-64-v3 $(COUNTS)/qkv $(COUNTS)/variants/standard.so
run-counts:          ## instructions of a step of training and of a command (valgrind, strace)
	sh tests/counts.sh $(COUNTS)
counts-update:       ## write what they are now
	sh tests/counts.sh $(COUNTS) tests/counts.tsv

check-style:         ## clang-format, cppcheck and clang-tidy
	clang-format --dry-run -Werror $(SOURCES)
	! grep -nE '\((size_t|ptrdiff_t)\)\([^()]* \* ' $(CORE) $(DRIVER)
	@command -v clang-tidy >/dev/null || echo 'clang-tidy is missing: products are not checked'
	! { ! command -v clang-tidy || printf '%s\n' $(CORE) $(DRIVER) | xargs -n 16 -P 2 sh -c \
	  'clang-tidy --quiet --checks=-*,$(TIDY) "$$@" -- $(DEFINES) -DQKV_CORE 2>&1' tidy; } | \
	  grep 'warning: performing\|error:'
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
	  --enable=warning,performance,portability \
	  --suppress=missingIncludeSystem --library=tests/cppcheck.cfg -Icore -Itests \
	  -D_GNU_SOURCE -DQKV_CORE core variants

PYTHON  ?= python3
bench: all           ## our speed and, where it is installed, PyTorch's (PYTHON=)
	$(PYTHON) tests/bench/peers.py $(BUILD)/qkv

coverage:            ## the share of lines of core/ that the quick tests run
	sh tests/coverage.sh $(BUILD)
fuzz: all            ## libFuzzer (clang) on matrices, command lines and experiments, SECONDS=60 each
	sh tests/fuzz.sh $(BUILD) $(or $(SECONDS),60)

compdb:              ## build/compile_commands.json, which editors look for
	@mkdir -p $(BUILD)
	@{ printf '['; top=$$(pwd | sed 's/[\\"]/\\&/g'); for f in $(CORE) $(DRIVER) $(wildcard tests/*.c variants/*.c); do \
	  case $$f in variants/*) more=-fPIC ;; *) more='-DQKV_CORE -Itests' ;; esac; \
	  printf '%s\n{"directory": "%s", "file": "%s", "command": "%s %s -c %s"}' "$$comma" \
	    "$$top" $$f '$(COMPILE)' "$$more" $$f; comma=,; done; \
	  printf '\n]\n'; } >$(BUILD)/compile_commands.json

# The tests look into all but main, and count allocations (check_train.c).
CHECK   ?= $$(pkg-config --libs check)
COUNTED  = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=posix_memalign
INSIDERS = $(filter-out %/main.c,$(DRIVER))
TESTS    = $(sort $(wildcard tests/*.c)) $(INSIDERS)
$(BUILD)/tests/float: $(FLOAT) $(TESTS:%.c=$(BUILD)/float/%.o)
$(BUILD)/tests/double: $(DOUBLE) $(TESTS:%.c=$(BUILD)/double/%.o)
$(BUILD)/tests/float $(BUILD)/tests/double:
	@mkdir -p $(@D)
	@echo "  LD $@"; $(LINK) -rdynamic $^ $(COUNTED) $(CHECK) $(LDLIBS) -o $@

# The program with core/heart/NAME.c for every core/fast/NAME.c.
$(BUILD)/tests/plain: $(PLAIN:%.c=$(BUILD)/float/%.o) $(DRIVER:%.c=$(BUILD)/float/%.o) $(BUILD)/float/core/fast/threads.o
	@mkdir -p $(@D)
	@echo "  LD $@"; $(LINK) -rdynamic $^ $(LDLIBS) -o $@

# Fits the outputs of each variant by those of each other one.
$(BUILD)/tests/referee: $(DOUBLE) $(BUILD)/double/tests/referee/referee.o
	@mkdir -p $(@D)
	@echo "  LD $@"; $(LINK) -rdynamic $^ $(LDLIBS) -o $@

# All but main, for the fuzzers.
$(BUILD)/libqkv.a: $(FLOAT) $(INSIDERS:%.c=$(BUILD)/float/%.o)
	@echo "  AR $@"; rm -f $@; ar rcs $@ $^

.PHONY: check check-parts check-quick check-long $(SCRIPTS) run-together run-same check-same run-starve run-equations run-referee run-float run-double run-shown \
  shown-update check-figures check-book check-web check-text check-bits check-torch check-hf check-numpy check-scipy check-valgrind \
  check-style bench coverage fuzz compdb
