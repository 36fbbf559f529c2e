# Makefile of qkv; `make help` lists what it can do.

CC      ?= cc
BUILD   ?= build
ARCH    ?= -march=native
OPT     ?= -O3
# A warning ends the build only in a checkout: a newer compiler, which warns of more, builds
# the tarball all the same (WERROR= for a checkout, too).
WERROR  ?= $(if $(wildcard .git),-Werror)
WARN     = -std=c11 -Wall -Wextra -Wpedantic $(WERROR)
# All of a vector's width, where the processor has 512 bits.
WIDTH   := $(shell $(CC) $(ARCH) -mprefer-vector-width=512 -E -xc /dev/null >/dev/null 2>&1 && echo -mprefer-vector-width=512)
# CFLAGS, CPPFLAGS and LDFLAGS are the user's, as packagers set them. They come after our
# flags, so they prevail, but not over the bits: contraction is off and there is no fast
# maths, so that the same seed gives the same bits, whatever compiles.
EXACT    = -fno-fast-math -ffp-contract=off -fno-math-errno
INEXACT  = -Ofast -ffast-math -funsafe-math-optimizations -fassociative-math -freciprocal-math \
  -ffinite-math-only -fno-signed-zeros -fapprox-func -fsingle-precision-constant
$(foreach f,OPT CFLAGS CPPFLAGS LDFLAGS,$(if $(filter $(INEXACT),$($f)),$(warning \
  left out of $f, since results would differ: $(filter $(INEXACT),$($f)))))
exact    = $(filter-out $(INEXACT),$1) $(EXACT)
FLAGS    = $(WARN) $(OPT) $(ARCH) $(WIDTH) $(CFLAGS)
DEFINES  = -Icore -D_GNU_SOURCE $(CPPFLAGS)
# From a source to an object, from objects to a program, and both at once for what has one
# source, which sees no more than ISO C and the public headers.
COMPILE  = $(CC) $(call exact,$(DEFINES) $(FLAGS))
LINK     = $(CC) $(call exact,$(FLAGS) $(LDFLAGS))
AT_ONCE  = $(CC) $(call exact,-Icore $(CPPFLAGS) $(FLAGS) $(LDFLAGS))
# Plugins take the program's symbols, and each its own before those of others.
# macOS: not tried; its linker has to be told so, and libdl is in its libc.
DARWIN  := $(filter Darwin,$(shell uname -s))
SHARED   = -fPIC -shared $(if $(DARWIN),-undefined dynamic_lookup,-Wl,-Bsymbolic)
LDLIBS   = -lm $(if $(filter Linux,$(shell uname -s)),-ldl)

# core/fast/NAME.c takes the place of core/heart/NAME.c, if there is one.
FAST     = $(sort $(wildcard core/fast/*.c))
PLAIN    = $(sort $(filter-out core/driver/% core/fast/% core/heart/main.c,$(wildcard core/*/*.c)))
CORE     = $(filter-out $(FAST:core/fast/%=core/heart/%),$(PLAIN)) $(FAST)
DRIVER   = $(sort $(wildcard core/driver/*.c))
PLUGINS  = $(patsubst variants/%.c,$(BUILD)/variants/%.so,\
             $(sort $(wildcard variants/*.c)))
# Those with an operator of their own are built for each precision.
BOUND    = $(shell grep -l qkv/operator.h variants/*.c)
PLUGINS += $(BOUND:variants/%.c=$(BUILD)/variants/double/%.so)
FLOAT    = $(CORE:%.c=$(BUILD)/float/%.o)
DOUBLE   = $(CORE:%.c=$(BUILD)/double/%.o)

all: $(BUILD)/qkv $(BUILD)/qkv-double $(PLUGINS) $(BUILD)/plots $(BUILD)/models $(BUILD)/include $(BUILD)/depth $(BUILD)/loop   ## build the program and the variants
variants-only: $(PLUGINS)

help:                ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1 /p' Makefile */rules.mk | \
	  awk '{ name = $$1; $$1 = ""; printf "make %-15s%s\n", name, $$0 }'

# What is built and tested side by side without being asked: on all cores, unless make was
# called with a -j of its own. Each part's output is printed whole, when it has ended.
PARALLEL = $(MAKE) --no-print-directory -Otarget $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN))

demo:                ## the main job: seven variants on four tasks, drawn
	+@$(PARALLEL) all
	$(BUILD)/qkv count --real -v standard,two-step,full-rank,symmetric --d-model 16
	$(BUILD)/qkv compare --out $(BUILD)/demo

deps:                ## install what building, drawing and testing need
	@sh .ci/deps.sh $(ONLY) gcc pkg-config check gnuplot
deps-all: deps       ## and what checks of form, other compilers and the book need
	@sh .ci/deps.sh clang clang-format clang-tidy cppcheck valgrind strace pandoc parallel chromium bwrap \
	  emcc node acorn pdflatex

clean:               ## remove all that was built
	rm -rf $(BUILD)

# What is installed, and where below PREFIX it goes. The shell takes the name of a
# folder from its environment, so that it may have blanks and quotes.
PREFIX  ?= /usr/local
export PREFIX DESTDIR
# In scripts awk prints 0.5, not 0,5, whatever the user's language is; and cd prints nothing.
export LC_ALL = C
unexport CDPATH
VERSION := $(shell sed -n 's/^\#define VERSION "\(.*\)"/\1/p' core/driver/main.c)
MADE     = $(BUILD)/qkv.pc $(BUILD)/qkv.1 $(BUILD)/qkv-double.1
PLACED   = $(BUILD)/qkv:bin/qkv $(BUILD)/qkv-double:bin/qkv-double \
  $(foreach f,$(PLUGINS),$(f):lib/qkv/$(f:$(BUILD)/%=%)) \
  $(foreach f,$(wildcard core/qkv/*.h),$(f):include/$(f:core/%=%)) \
  $(foreach f,$(wildcard plots/*.gp plots/*.sh plots/*.awk plots/commands/*.sh plots/recipes/*.sh plots/claims/*.sh plots/recipes/*.text variants/*.c),$(f):share/qkv/$(f)) \
  $(foreach f,$(wildcard core/models/*.tsv),$(f):share/qkv/$(f:core/%=%)) \
  $(foreach f,README.md LICENSE $(wildcard lessons/*.md lessons/figures/*/*.svg),$(f):share/doc/qkv/$(f)) \
  $(BUILD)/qkv.pc:lib/pkgconfig/qkv.pc \
  $(BUILD)/qkv.1:share/man/man1/qkv.1 $(BUILD)/qkv-double.1:share/man/man1/qkv-double.1 \
  core/driver/qkv.bash:share/bash-completion/completions/qkv

install: all $(MADE)   ## the program where a system expects it (PREFIX, DESTDIR)
	@set -e; for f in $(PLACED); do \
	  to="$$DESTDIR$$PREFIX/$${f#*:}"; mkdir -p "$$(dirname "$$to")"; \
	  cp "$${f%%:*}" "$$to.new"; mv -f "$$to.new" "$$to"; done

uninstall:           ## remove just that again
	@for f in $(PLACED); do rm -f "$$DESTDIR$$PREFIX/$${f#*:}"; done
	@cd "$$DESTDIR$$PREFIX" 2>/dev/null || exit 0; for d in lib/qkv share/qkv share/doc/qkv include/qkv; do \
	  [ ! -d $$d ] || find $$d -depth -type d -exec rmdir {} + 2>/dev/null || true; done

dist:                ## the sources as build/qkv-VERSION.tar.gz (git)
	@mkdir -p $(BUILD)
	git archive --prefix=qkv-$(VERSION)/ -o $(BUILD)/qkv-$(VERSION).tar.gz HEAD

# All that is installed, built for the processors that have had AVX2 since 2013.
wheel:               ## a Python wheel in build/, for pip install (Linux on x86-64; zip or python3)
	@rm -rf $(BUILD)/wheel/root
	+@$(MAKE) --no-print-directory install BUILD=$(BUILD)/wheel ARCH=-march=x86-64-v3 \
	  DESTDIR=$(BUILD)/wheel/root PREFIX=
	@sh core/driver/wheel.sh $(BUILD)/wheel/root $(VERSION) $(BUILD)

$(BUILD)/qkv.pc: Makefile
	@printf '%s\n' "prefix=$$PREFIX" 'includedir=$${prefix}/include' \
	  'variants=$${prefix}/lib/qkv/variants' 'Name: qkv' \
	  'Description: plugins for qkv, variants of attention' 'Version: $(VERSION)' \
	  'Cflags: "-I$${includedir}" $(EXACT)' >$@
$(BUILD)/qkv.1: core/driver/man.sh $(BUILD)/qkv
	@sh core/driver/man.sh $(BUILD)/qkv >$@
$(BUILD)/qkv-double.1: Makefile
	@echo '.so man1/qkv.1' >$@

# The program is linked with every object of core, and exports to plugins what
# the public headers declare.
$(BUILD)/qkv: $(FLOAT) $(DRIVER:%.c=$(BUILD)/float/%.o)
$(BUILD)/qkv-double: $(DOUBLE) $(DRIVER:%.c=$(BUILD)/double/%.o)
$(BUILD)/qkv $(BUILD)/qkv-double:
	@mkdir -p $(@D)
	@echo "  LD $@"; $(LINK) -rdynamic $^ $(LDLIBS) -o $@

# The minimal attention core alone, with the operators that variants may call: core/heart,
# core/operators and core/qkv.
HEART    = $(sort $(wildcard core/heart/*.c core/operators/*.c))
heart: $(BUILD)/heart $(BUILD)/heart-double $(PLUGINS)   ## the minimal attention core alone, which trains any variant
$(BUILD)/heart: $(HEART:%.c=$(BUILD)/float/%.o)
$(BUILD)/heart-double: $(HEART:%.c=$(BUILD)/double/%.o)
$(BUILD)/heart: BESIDE = $$ORIGIN/variants
$(BUILD)/heart-double: BESIDE = $$ORIGIN/variants/double:$$ORIGIN/variants
$(BUILD)/heart $(BUILD)/heart-double:
	@mkdir -p $(@D)
	@echo "  LD $@"; $(LINK) -rdynamic $^ $(LDLIBS) -Wl,-rpath,'$(BESIDE)' -o $@

# Other flags than the last time: all is compiled anew. lessons/stage.sh compiles with them.
$(BUILD)/flags: USED = $(CC) $(call exact,$(DEFINES) $(FLAGS) $(LDFLAGS))
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(USED)' | cmp -s - $@ || echo '$(USED)' >$@

INSIDE = -DQKV_CORE -fvisibility=hidden -Itests -MMD -MP
$(BUILD)/float/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(COMPILE) $(INSIDE) -c $< -o $@
$(BUILD)/double/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(COMPILE) $(INSIDE) -DQKV_DOUBLE -c $< -o $@

# A plugin sees the public headers only. One file serves float and double.
$(BUILD)/variants/%.so: variants/%.c $(wildcard core/qkv/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(AT_ONCE) $(SHARED) $< -o $@
$(BUILD)/variants/double/%.so: variants/%.c $(wildcard core/qkv/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(AT_ONCE) -DQKV_DOUBLE $(SHARED) $< -o $@

# Plot scripts, tables of models and public headers, where the program looks for them.
$(BUILD)/plots:   SHOWN = plots
$(BUILD)/models:  SHOWN = core/models
$(BUILD)/include: SHOWN = core
$(BUILD)/plots $(BUILD)/models $(BUILD)/include:
	@mkdir -p $(@D)
	ln -sfn "$$(pwd)/$(SHOWN)" $@

include lessons/rules.mk tests/rules.mk
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

.PHONY: FORCE all heart variants-only help demo deps deps-all clean install uninstall dist wheel $(BUILD)/qkv.pc
