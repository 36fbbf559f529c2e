# facts.awk - what a report says of how it came about: of the config.tsv of all runs,
# sorted, what they were trained with; of an experiment.tsv, with -v out=DIRECTORY, the
# commands that make it again.

function quoted(word) { # as a shell reads it
    if (word ~ /^[A-Za-z0-9_.,:=+@%\/-]+$/)
        return word
    gsub(/'/, "'\\''", word)
    return "'" word "'"
}
function end_command() {
    if (line)
        print "    qkv" double " " line " --out " quoted(out)
    line = double = ""
}

!out && $2 != "" && $2 != "0" { values[$1] = values[$1] (values[$1] ? ", " : "") $2 }
out && $1 == "command" {
    end_command()
    line = $2
}
out && $1 == "precision" { double = "-double" }
out && $1 == "run" { line = "" } # a conversion: the run that it made is left out
out && line && $1 !~ /^(command|precision)$/ && !($1 == "baseline" && $2 == "standard") {
    line = line " --" $1 " " quoted($2)
}

END {
    end_command()
    n = split("task variant seed d-model layers heads d-k kv-heads latent mlp positions length steps batch " \
        "optimizer lr precision", name, " ")
    for (i = 1; i <= n && !out; i++)
        if (name[i] in values)
            text = text (text ? "; " : "Trained: ") name[i] " " values[name[i]]
    if (!out)
        print text "."
}
