# facts.awk - what a report says of how it came about, by -v part=: limits and runs, of what
# `qkv table --verdicts` and `qkv table` print as TSV; settings, of the config.tsv of all
# runs; commands, of experiment.tsv, in the directory -v out=.

# add LIST VALUE: once each, as they come; values of a setting in their order.
function add(list, value,    i) {
    if (value == "" || value == "NA" || (list, value) in known)
        return
    known[list, value] = 1
    for (i = ++size[list]; i > 1 && part == "settings" && after(has[list, i - 1], value); i--)
        has[list, i] = has[list, i - 1]
    has[list, i] = value
}
function after(a, b) {
    return a ~ /^[0-9.e-]+$/ && b ~ /^[0-9.e-]+$/ ? a + 0 > b + 0 : a "" > b ""
}
function joined(list,    i, all) {
    for (i = 1; i <= size[list]; i++)
        all = all (i > 1 ? ", " : "") has[list, i]
    return all
}
# As a shell reads it.
function quoted(word) {
    if (word ~ /^[A-Za-z0-9_.,:=+@%\/-]+$/)
        return word
    gsub(/'/, "'\\''", word)
    return "'" word "'"
}

part == "settings" {
    if (index(",d-model,layers,heads,d-k,kv-heads,latent,mlp,positions,length,steps,batch,optimizer,lr,",
              "," $1 ",") && $2 != "0")
        add($1, $2)
    if ($1 == "precision")
        add($1, $2)
    next
}
part == "commands" {
    if ($1 == "command")
        end_command()
    if ($1 == "command")
        line = $2
    else if ($1 == "precision")
        double = "-double"
    else if ($1 == "run")
        line = "" # a conversion: the run that it made is left out
    else if (line && !($1 == "baseline" && $2 == "standard"))
        line = line " --" $1 " " quoted($2)
    next
}
function end_command() {
    if (line) {
        if (!told++)
            print "To run it again:"
        print "    qkv" double " " line " --out " quoted(out)
    }
    line = double = ""
}
FNR == 1 {
    table++
    split("", at)
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
table == 1 {
    if (group == $1 && parameters != $(at["attention_parameters"]))
        unequal = 1
    if ("variant" in at)
        add("variant", $(at["variant"]))
    group = $1
    parameters = $(at["attention_parameters"])
    rate = $(at["rate"])
}
table == 2 {
    runs++
    add("task", $(at["task"]))
    add("variant", $(at["variant"]))
    add("seed", $(at["seed"]))
    seconds += $(at["seconds"])
    diverged += $(at["status"]) == "diverged"
    matched = matched || "match" in at
}

END {
    if (part == "settings") {
        n = split("d-model layers heads d-k kv-heads latent mlp positions length steps batch optimizer lr", name, " ")
        for (i = 1; i <= n; i++)
            if (size[name[i]])
                all = all (all ? "; " : "") name[i] " " joined(name[i])
        print "Trained" (size["precision"] > 1 ? " in single and double precision" : \
            joined("precision") == "double" ? " in double precision" : "") ": " all "."
    } else if (part == "commands")
        end_command()
    else if (part == "runs")
        printf("%d runs: %s; variant%s %s; %d seed%s, each with the same data for every variant. " \
            "%d seconds of runs, one after the other.\n", runs, joined("task"),
            size["variant"] > 1 ? "s" : "", joined("variant"), size["seed"],
            size["seed"] > 1 ? "s" : "", seconds + 0.999)
    else if (part == "limits") {
        print "## What this does not show"
        print "Toy tasks and small models: what decides here need not decide at the size of a language model."
        if (!("lr" in at))
            print "One learning rate, " rate ". Depth, width and scale change the rate that suits a variant, " \
                "so a difference in steps may be one of rates: a grid (--lr) tells."
        if (unequal)
            print "The variants have different numbers of parameters; --match makes them equal."
        if (diverged)
            print diverged " runs diverged; they have no accuracy, and their variant no mean."
        print "\"Undecided\" is neither a difference nor sameness: it is said what these seeds could have " \
            "shown, and how many would tell."
    }
}
