# facts.awk - two parts of a report. If $QKV_EXPERIMENT is empty, it reads the sorted lines of
# all config.tsv, and prints with which settings the runs were trained. Otherwise it reads the
# experiment.tsv of that directory, and prints the commands that make the experiment again.

BEGIN { out = ENVIRON["QKV_EXPERIMENT"] }

function quoted(word) { # as one word for a shell
    if (word ~ /^[A-Za-z0-9_.,:=+@%\/-]+$/)
        return word
    gsub(/'/, "'\\''", word)
    return "'" word "'"
}

# A shape that a variant does not use is 0.
!out && $2 != "" && ($2 != "0" || $1 !~ /^(heads|d-k|kv-heads|latent)$/) { values[$1] = values[$1] (values[$1] ? ", " : "") $2 }
out {
    line = double = ""
    for (i = 2; i <= NF; i++) {
        key = substr($i, 1, index($i, "=") - 1)
        value = substr($i, length(key) + 2)
        if (key == "precision")
            double = "-double"
        else if ($i != "baseline=standard")
            line = line " " quoted("--" key) " " quoted(value)
    }
    print "    qkv" double " " quoted($1) line " --out " quoted(out)
}

END {
    n = split("task variant seed d-model layers heads d-k kv-heads latent mlp positions length steps batch " \
        "optimizer lr precision", name, " ")
    for (i = 1; i <= n && !out; i++)
        if (name[i] in values)
            text = text (text ? "; " : "Trained: ") name[i] " " values[name[i]]
    if (!out)
        print text "."
}
