# What can be done with the lessons; the Makefile includes this.

lessons: all         ## what the lessons show is so: code, commands, names, links
	sh lessons/check.sh $(BUILD)
lessons-update: all  ## write what their commands print now, and the code that they name, to be looked at
	sh lessons/check.sh -u $(BUILD)

exercise: all        ## check an exercise (N=03; AGAIN=1 marks one anew), or list them
	@sh lessons/exercise.sh $(BUILD) "$(N)" $(AGAIN) || true
# A gradebook reads what is printed, so what is built is told beside it.
grade:               ## grade a folder of submissions: TSV for a gradebook (DIR=; bubblewrap)
	+@$(MAKE) --no-print-directory all >&2
	@sh lessons/grade.sh $(BUILD) "$(DIR)"

stage: $(BUILD)/flags $(PLUGINS)   ## the heart as far as a lesson has it, with the lesson's program (N=21)
	@sh lessons/stage.sh $(BUILD) $(N) $(ARGS)

one-file: $(BUILD)/one-file   ## the whole in one C file: it trains, and prints what `qkv train` logs
	$(BUILD)/one-file
depth: $(BUILD)/depth   ## how a product of matrices learns: build/depth.tsv, build/depth.svg (gnuplot)
	$(BUILD)/depth >$(BUILD)/depth.tsv
	gnuplot -e "data='$(BUILD)/depth.tsv'; name='$(BUILD)/depth'" lessons/depth/depth.gp
loop: $(BUILD)/loop   ## what comes back when M goes around a closed loop (lesson 17)
	$(BUILD)/loop
$(BUILD)/one-file: lessons/one-file/attention.c $(BUILD)/flags
$(BUILD)/depth: lessons/depth/depth.c $(BUILD)/flags
$(BUILD)/loop: lessons/depth/loop.c $(BUILD)/flags
$(BUILD)/one-file $(BUILD)/depth $(BUILD)/loop:
	@mkdir -p $(@D)
	@echo "  CC $@"; $(AT_ONCE) $< -lm -o $@

book:                ## the lessons as HTML pages, build/book/index.html, and as one page and PDF (pandoc)
	@sh lessons/book.sh $(BUILD)

# The program for a browser, by doubles and, where the processor rounds a multiply-add
# once, by its instruction; LLVM 14 gives this the number that it had before the standard.
# What needs processes or a terminal is lessons/web's.
EMCC = NODE_PATH=/usr/share/nodejs:$$NODE_PATH $(MAKE) CC=emcc WIDTH= CFLAGS=-fPIC CPPFLAGS= LDFLAGS=
web: all book        ## the book with the program in it, build/web/index.html (emscripten, node-acorn)
	+$(EMCC) web-engine BUILD=$(BUILD)/wasm WEB=$(BUILD)/web ARCH=-msimd128
	+$(EMCC) web-programs BUILD=$(BUILD)/wasm-fused WEB=$(BUILD)/wasm-fused ARCH='-msimd128 -mrelaxed-simd' OTHERS=$(BUILD)/wasm
	for program in qkv qkv-double; do \
	  LC_ALL=C sed 's/\xfd\xaf\x01/\xfd\x85\x02/g; s/\xfd\xcf\x01/\xfd\x87\x02/g' \
	    $(BUILD)/wasm-fused/$$program.wasm >$(BUILD)/web/$$program-fused.wasm || exit 1; done
	sh lessons/web/pages.sh $(BUILD)
web-engine: web-programs $(WEB)/variants/names.txt $(WEB)/worker.js $(WEB)/engine.js
web-programs: $(WEB)/qkv.js $(WEB)/qkv-double.js

WEB_C    = $(filter-out core/run/child_process.c,$(CORE) $(DRIVER)) \
  lessons/web/child_process.c lessons/web/progress.c
# Only core/fast knows the instruction: the other objects are those of the first build.
OTHERS   = $(BUILD)
web_o    = $(patsubst $(OTHERS)/$1/core/fast/%,$(BUILD)/$1/core/fast/%,$(WEB_C:%.c=$(OTHERS)/$1/%.o))
$(WEB)/qkv.js:        $(call web_o,float)
$(WEB)/qkv-double.js: $(call web_o,double)
$(WEB)/qkv.js:        NAME = Qkv
$(WEB)/qkv-double.js: NAME = QkvDouble
$(WEB)/qkv.js $(WEB)/qkv-double.js: $(OTHERS)/needed lessons/web/library.js
	@mkdir -p $(@D)
	@echo "  LD $@"; $(LINK) -sMAIN_MODULE=2 -sEXPORTED_FUNCTIONS=@$(OTHERS)/needed \
	  -sMODULARIZE -sEXPORT_NAME=$(NAME) -sENVIRONMENT=worker -sEXPORTED_RUNTIME_METHODS=FS,callMain \
	  -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=1GB --js-library lessons/web/library.js $(filter %.o,$^) -o $@

# The symbols that the plugins take from the program, and no more.
MODULES  = $(PLUGINS:$(BUILD)/%.so=$(WEB)/%.wasm)
$(BUILD)/needed: $(patsubst variants/%.c,$(BUILD)/float/variants/%.o,$(sort $(wildcard variants/*.c)))
	@{ echo _main; emnm -u $^ | sed -n 's/^ *U \([^_].*\)/_\1/p' | sort -u; } >$@
WIDER    = $(filter $(WEB)/variants/double/%,$(MODULES))
$(filter-out $(WIDER),$(MODULES)): $(WEB)/variants/%.wasm: $(BUILD)/float/variants/%.o
$(WIDER): $(WEB)/variants/double/%.wasm: $(BUILD)/double/variants/%.o
$(MODULES):
	@mkdir -p $(@D)
	@echo "  LD $@"; $(LINK) -sSIDE_MODULE=1 $< -o $@
$(WEB)/variants/names.txt: $(MODULES)
	@printf '%s\n' $(MODULES:$(WEB)/variants/%.wasm=%) >$@
$(WEB)/%.js: lessons/web/%.js
	@mkdir -p $(@D)
	cp $< $@

FIGURES = $(patsubst plots/recipes/%.sh,figure-%,$(sort $(wildcard plots/recipes/*.sh)))
figures: $(FIGURES)   ## the figures of the twelve recipes, in build/figures: about ten minutes
$(FIGURES): figure-%: all
	@mkdir -p $(BUILD)/figures
	$(BUILD)/qkv recipe $* --out $(BUILD)/figures/$*

claims: all          ## run the claims of papers, what is there not again; lessons/claims.md
	@sh lessons/claims.sh $(BUILD)

DIAGRAMS = $(patsubst plots/diagrams/%.awk,lessons/figures/diagrams/%.svg,$(filter-out %/pen.awk,$(wildcard plots/diagrams/*.awk)))
DARK = $(patsubst %,lessons/figures/dark/%.svg,attention-map merge real-parameters rope-family)
diagrams: $(DIAGRAMS) $(DARK)   ## the diagrams of README and lessons, in lessons/figures/diagrams; README's, dark
$(DARK): lessons/figures/dark/%.svg: lessons/figures/diagrams/%.svg plots/dark.awk
	@mkdir -p $(@D)
	LC_ALL=C awk -f plots/dark.awk $< >$@.new && mv $@.new $@
$(DIAGRAMS): lessons/figures/diagrams/%.svg: plots/diagrams/%.awk plots/diagrams/pen.awk $(wildcard plots/diagrams/*.tsv)
	LC_ALL=C awk -f plots/diagrams/pen.awk -f $< >$@.new && mv $@.new $@
diagram-tables: all  ## what some of the diagrams are drawn from
	sh plots/diagrams/tables.sh $(BUILD) plots/diagrams

.PHONY: web web-engine web-programs stage one-file depth loop diagrams diagram-tables lessons lessons-update exercise grade book claims figures $(FIGURES)
