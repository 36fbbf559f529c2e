# What can be done with the lessons; the Makefile includes this.

lessons: all         ## what the lessons show is so: code, commands, names, links
	sh lessons/check.sh $(BUILD)
lessons-update: all  ## write what their commands print now, and the code that they name, to be looked at
	sh lessons/check.sh -u $(BUILD)

exercise: all        ## check an exercise (N=03; AGAIN=1 marks one anew), or list them
	@sh lessons/exercise.sh $(BUILD) "$(N)" $(AGAIN) || true

one-file: $(BUILD)/one-file   ## the whole in one C file: it trains, and prints what `qkv train` logs
	$(BUILD)/one-file
$(BUILD)/one-file: lessons/one-file/attention.c $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  CC $@"; $(CC) $(CFLAGS) $< -lm -o $@

book:                ## the lessons as HTML pages, build/book/index.html, and as one page and PDF (pandoc)
	@sh lessons/book.sh $(BUILD)

FIGURES = $(patsubst plots/recipes/%.txt,figure-%,$(sort $(wildcard plots/recipes/*.txt)))
figures: $(FIGURES)   ## the ten figures of the recipes, in build/figures: about five minutes
$(FIGURES): figure-%: all
	@mkdir -p $(BUILD)/figures
	$(BUILD)/qkv compare --recipe $* --out $(BUILD)/figures/$*

claims: all          ## run the claims of papers that are not run yet; lessons/claims.md
	@sh lessons/claims.sh $(BUILD)

DIAGRAMS = $(patsubst plots/diagrams/%.awk,lessons/figures/diagrams/%.svg,$(filter-out %/pen.awk,$(wildcard plots/diagrams/*.awk)))
diagrams: $(DIAGRAMS)   ## the diagrams of README and lessons, in lessons/figures/diagrams
$(DIAGRAMS): lessons/figures/diagrams/%.svg: plots/diagrams/%.awk plots/diagrams/pen.awk $(wildcard plots/diagrams/*.tsv)
	LC_ALL=C awk -f plots/diagrams/pen.awk -f $< >$@.new && mv $@.new $@
diagram-tables: all  ## what some of the diagrams are drawn from
	sh plots/diagrams/tables.sh $(BUILD) plots/diagrams

.PHONY: one-file diagrams diagram-tables lessons lessons-update exercise book claims figures $(FIGURES)
