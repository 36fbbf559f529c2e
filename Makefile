# Makefile of qkv; `make help` lists what it can do.

CC      ?= cc
BUILD   ?= build
ARCH    ?= -march=native
OPT     ?= -O3
# Contraction off and no fast maths: same seed, same bits, whatever compiles.
EXACT    = -ffp-contract=off -fno-math-errno
WARN     = -std=c11 -Wall -Wextra -Wpedantic -Werror
# All of a vector's width, where the processor has 512 bits.
WIDTH   := $(shell $(CC) $(ARCH) -mprefer-vector-width=512 -E -xc /dev/null >/dev/null 2>&1 && echo -mprefer-vector-width=512)
CFLAGS   = $(WARN) $(OPT) $(ARCH) $(WIDTH) $(EXACT) $(EXTRA)
CPPFLAGS = -Icore -D_GNU_SOURCE
# Plugins take the program's symbols, and each its own before those of others.
# macOS: not tried; its linker has to be told so, and libdl is in its libc.
DARWIN  := $(filter Darwin,$(shell uname -s))
SHARED   = -fPIC -shared $(if $(DARWIN),-undefined dynamic_lookup,-Wl,-Bsymbolic)
LDLIBS   = -lm $(if $(filter Linux,$(shell uname -s)),-ldl)

CORE     = $(sort $(wildcard core/*.c))
DRIVER   = $(sort $(wildcard core/driver/*.c))
PLUGINS  = $(patsubst variants/%.c,$(BUILD)/variants/%.so,\
             $(sort $(wildcard variants/*.c)))
# Those with an operator of their own are built for each precision.
BOUND    = $(shell grep -l qkv/operator.h variants/*.c)
PLUGINS += $(BOUND:variants/%.c=$(BUILD)/variants/double/%.so)
# The tests look into all but main, count allocations (check_train.c) and set the
# clock (check_progress.c).
CHECK   ?= $$(pkg-config --libs check)
COUNTED  = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=now
TESTS    = $(sort $(wildcard tests/*.c)) $(filter-out %/main.c,$(DRIVER))
SOURCES  = $(sort $(wildcard lessons/exercises/*.c lessons/exercises/solutions/*.c core/*.[ch] core/*/*.[ch] variants/*.c tests/*.[ch] tests/*/*.c))
FLOAT    = $(CORE:%.c=$(BUILD)/float/%.o)
DOUBLE   = $(CORE:%.c=$(BUILD)/double/%.o)

all: $(BUILD)/qkv $(BUILD)/qkv-double $(PLUGINS) $(BUILD)/plots $(BUILD)/include   ## build the program and the variants

variants-only: $(PLUGINS)

help:                ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1: /p' Makefile | \
	  awk -F': ' '{ printf "make %-15s %s\n", $$1, $$2 }'

demo: all            ## the main job: seven variants on four tasks, drawn
	$(BUILD)/qkv compare --out $(BUILD)/demo

deps:                ## install what building, drawing and testing need
	@sh tests/deps.sh gcc pkg-config check gnuplot

deps-all: deps       ## and what checks of form, other compilers and the book need
	@sh tests/deps.sh clang clang-format cppcheck valgrind pandoc parallel chromium

figures: $(patsubst plots/recipes/%.txt,figure-%,$(sort $(wildcard plots/recipes/*.txt)))   ## the ten figures of the recipes, in build/figures: about five minutes

figure-%: all         # one of them
	@mkdir -p $(BUILD)/figures
	$(BUILD)/qkv compare --recipe $* --out $(BUILD)/figures/$*

check: EACH = 5
check: check-quick run-solve run-lessons run-install run-starve run-parallel   ## all tests that take under three minutes (-j2: side by side)

lessons: all         ## what the lessons show is so: code, commands, names, links
	sh lessons/check.sh $(BUILD)

exercise: all        ## check an exercise (N=03; AGAIN=1 marks one anew), or list them
	@sh lessons/exercise.sh $(BUILD) "$(N)" $(AGAIN) || true

book:                ## the lessons as one page, build/book/index.html (pandoc)
	@sh lessons/book.sh $(BUILD)

lessons-update: all  ## write what their commands print now, to be looked at
	sh lessons/check.sh -u $(BUILD)

run-shown: all       # what the commands print is what tests/shown has
	sh lessons/check.sh $(BUILD) tests/shown/*.md
shown-update: all    ## write what they print now, to be looked at
	sh lessons/check.sh -u $(BUILD) tests/shown/*.md

check-quick: run-floors run-float run-double run-shown run-command run-check run-faults

# Parts, which may run side by side (make -j2).
run-floors run-command run-check run-faults run-kill run-parallel run-slurm run-arm run-fuzz \
  run-solve run-lessons run-install: all
	sh tests/$(@:run-%=%).sh $(BUILD)
run-starve: all      # EACH=5: every fifth allocation is refused once
	sh tests/starve.sh $(BUILD) 1 $(EACH)
run-float run-double: all $(BUILD)/tests/float $(BUILD)/tests/double
	CK_DEFAULT_TIMEOUT=60 QKV_PATH=$(BUILD)/variants $(BUILD)/tests/$(@:run-%=%)

check-long: check check-text check-bits check-figures check-book run-kill run-slurm run-arm run-fuzz   ## and those that take longer

check-figures: figures   ## the lessons' figures are what the recipes draw
	sh lessons/figures.sh $(BUILD)

check-book:          ## the book, looked at by a browser: figures, links, formulas, width
	sh tests/book.sh $(BUILD)

check-text: all      ## each variant learns a real text (SEEDS=1 for one seed each)
	sh tests/text.sh $(BUILD) $(SEEDS)

check-bits: all      ## the same bits from other compilers and instruction sets
	sh tests/bits.sh $(BUILD)

check-torch: all     ## logits and gradients again in PyTorch, where there is one
	sh tests/torch.sh $(BUILD)

bench: all $(BUILD)/products   ## our speed, and that of PyTorch, JAX, OpenBLAS where they are there
	$(BUILD)/products
	python3 tests/bench/peers.py $(BUILD)/qkv

coverage:            ## the share of lines of core/ that the quick tests run (gcovr)
	sh tests/coverage.sh $(BUILD)

fuzz:                ## every parser under libFuzzer, SECONDS=60 each (clang)
	sh tests/fuzz.sh $(BUILD) $(or $(SECONDS),60)

mutants:             ## plants faults of one token and tells which no test notices: hours
	sh tests/mutants.sh $(BUILD) $(COUNT) $(SEED)

check-style:         ## clang-format and cppcheck
	clang-format --dry-run -Werror $(SOURCES)
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
	  --enable=warning,performance,portability \
	  --suppress=missingIncludeSystem --library=tests/cppcheck.cfg -Icore -Icore/driver -Itests \
	  -D_GNU_SOURCE -DQKV_CORE core variants

check-valgrind:      ## a short set under valgrind, which knows no AVX-512
	$(MAKE) all BUILD=$(BUILD)/valgrind ARCH=-march=x86-64-v3 OPT='-O1 -g'
	sh tests/valgrind.sh $(BUILD)/valgrind

compdb:              ## build/compile_commands.json, which editors look for
	@mkdir -p $(BUILD)
	@{ printf '['; for f in $(CORE) $(DRIVER) $(wildcard tests/*.c variants/*.c); do \
	  case $$f in variants/*) more=-fPIC ;; *) more='-DQKV_CORE -Icore/driver -Itests' ;; esac; \
	  printf '%s\n{"directory": "%s", "file": "%s", "command": "%s %s -c %s"}' "$$comma" \
	    '$(CURDIR)' $$f '$(CC) $(CPPFLAGS) $(CFLAGS)' "$$more" $$f; comma=,; done; \
	  printf '\n]\n'; } >$(BUILD)/compile_commands.json

clean:               ## remove all that was built
	rm -rf $(BUILD)

# What is installed, and where below PREFIX it goes.
PREFIX  ?= /usr/local
VERSION := $(shell sed -n 's/^\#define VERSION "\(.*\)"/\1/p' core/driver/main.c)
FOUND    = $(BUILD)/qkv.pc $(BUILD)/qkv.bash $(BUILD)/qkv.zsh
PLACED   = $(BUILD)/qkv:bin/qkv $(BUILD)/qkv-double:bin/qkv-double \
  $(foreach f,$(PLUGINS),$(f):lib/qkv/$(f:$(BUILD)/%=%)) \
  $(foreach f,$(wildcard core/qkv/*.h),$(f):include/$(f:core/%=%)) \
  $(foreach f,$(wildcard plots/*.gp plots/recipes/*.txt),$(f):share/qkv/$(f)) \
  $(BUILD)/qkv.pc:lib/pkgconfig/qkv.pc core/driver/qkv.1:share/man/man1/qkv.1 \
  $(BUILD)/qkv.bash:share/bash-completion/completions/qkv \
  $(BUILD)/qkv.zsh:share/zsh/site-functions/_qkv

install: all $(FOUND)   ## the program where a system expects it (PREFIX, DESTDIR)
	@set -e; for f in $(PLACED); do \
	  to="$(DESTDIR)$(PREFIX)/$${f#*:}"; mkdir -p "$$(dirname "$$to")"; \
	  cp "$${f%%:*}" "$$to.new"; mv -f "$$to.new" "$$to"; done

uninstall:           ## remove just that again
	@for f in $(PLACED); do rm -f "$(DESTDIR)$(PREFIX)/$${f#*:}"; done
	@cd "$(DESTDIR)$(PREFIX)" 2>/dev/null || exit 0; for d in lib/qkv share/qkv include/qkv; do \
	  [ ! -d $$d ] || find $$d -depth -type d -exec rmdir {} + 2>/dev/null || true; done

dist:                ## the sources as build/qkv-VERSION.tar.gz (git)
	@mkdir -p $(BUILD)
	git archive --prefix=qkv-$(VERSION)/ -o $(BUILD)/qkv-$(VERSION).tar.gz HEAD

$(BUILD)/qkv.pc: Makefile
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' \
	  'variants=$${prefix}/lib/qkv/variants' 'Name: qkv' \
	  'Description: plugins for qkv, variants of attention' 'Version: $(VERSION)' \
	  'Cflags: -I$${includedir} $(EXACT)' >$@
$(BUILD)/qkv.bash $(BUILD)/qkv.zsh: $(BUILD)/qkv
	@$(BUILD)/qkv completion $(@:$(BUILD)/qkv.%=%) >$@

# The program is linked with every object of core, and exports to plugins what
# the public headers declare.
$(BUILD)/qkv: $(FLOAT) $(DRIVER:%.c=$(BUILD)/float/%.o)
$(BUILD)/qkv-double: $(DOUBLE) $(DRIVER:%.c=$(BUILD)/double/%.o)
$(BUILD)/tests/float: $(FLOAT) $(TESTS:%.c=$(BUILD)/float/%.o)
$(BUILD)/tests/double: $(DOUBLE) $(TESTS:%.c=$(BUILD)/double/%.o)
$(BUILD)/products: $(FLOAT) $(BUILD)/float/core/driver/timing.o $(BUILD)/float/core/driver/statistics.o $(BUILD)/float/tests/bench/products.o
$(BUILD)/qkv $(BUILD)/qkv-double $(BUILD)/products:
	@mkdir -p $(@D)
	@echo "  LD $@"; $(CC) $(CFLAGS) -rdynamic $^ $(LDLIBS) -o $@
$(BUILD)/tests/float $(BUILD)/tests/double:
	@mkdir -p $(@D)
	@echo "  LD $@"; $(CC) $(CFLAGS) -rdynamic $^ $(COUNTED) $(CHECK) $(LDLIBS) -o $@

# All but main, for the fuzzers.
$(BUILD)/libqkv.a: $(FLOAT) $(filter-out %/main.o,$(DRIVER:%.c=$(BUILD)/float/%.o))
	@echo "  AR $@"; rm -f $@; ar rcs $@ $^

# Other flags than the last time: all is compiled anew.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(CFLAGS)' | cmp -s - $@ || echo '$(CC) $(CPPFLAGS) $(CFLAGS)' >$@

INSIDE = -DQKV_CORE -fvisibility=hidden -Icore/driver -Itests -MMD -MP
$(BUILD)/float/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(CC) $(CPPFLAGS) $(CFLAGS) $(INSIDE) -c $< -o $@
$(BUILD)/double/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(CC) $(CPPFLAGS) $(CFLAGS) $(INSIDE) -DQKV_DOUBLE -c $< -o $@

# A plugin sees the public headers only. One file serves float and double.
$(BUILD)/variants/%.so: variants/%.c $(wildcard core/qkv/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(CC) -Icore $(CFLAGS) $(SHARED) $< -o $@

$(BUILD)/variants/double/%.so: variants/%.c $(wildcard core/qkv/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(CC) -Icore $(CFLAGS) -DQKV_DOUBLE $(SHARED) $< -o $@

# Plot scripts and public headers, where the program looks for them.
$(BUILD)/plots $(BUILD)/include:
	@mkdir -p $(@D)
	ln -sfn $(CURDIR)/$(if $(filter %plots,$@),plots,core) $@

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: FORCE coverage fuzz mutants variants-only compdb install uninstall dist $(BUILD)/qkv.pc lessons book exercise lessons-update figures all help demo deps deps-all check check-quick check-long check-text \
  bench check-figures check-book check-torch check-bits check-style check-valgrind clean \
  run-floors run-float run-double run-shown shown-update run-command run-check run-faults run-starve run-kill run-parallel run-slurm run-arm run-fuzz run-solve run-lessons run-install
