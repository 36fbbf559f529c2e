# ledger.awk - the section of a claim on the page lessons/claims.md, as `qkv claim` has
# tested it; it is read after plots/words.awk. -v name=CLAIM, -v tables=what it printed; its row
# of the table of all is added to -v rows=FILE. It reads the claim's
# script, then the captions of its figures.

FNR == 1 { figure = "" }
FILENAME ~ /\.txt$/ {
    figure = FILENAME
    gsub(/^.*\/|\.txt$/, "", figure)
    if (!(figure in caption))
        figures[++drawn] = figure
    caption[figure] = caption[figure] (caption[figure] ? " " : "") $0
    next
}
FNR == 1 { question = substr($0, 3) }
FNR > 1 && /^# [a-z]+( [0-9]+)?: / {
    key = substr($0, 3, index($0, ": ") - 3)
    fact[key] = substr($0, index($0, ": ") + 2)
    next
}
/^#   / { fact[key] = fact[key] " " substr($0, 5) }
FNR > 1 && /^# [^ ]/ { lead = lead (lead ? " " : "") substr($0, 3) }
/^[^#]/ { commands = commands "    " $0 "\n" }

function show(word, title) {
    if (word in fact)
        print "- **" title ".** " md(fact[word])
}

END {
    while ((getline text <(tables "/verdict.tsv")) > 0) {
        if (last)
            found[++count] = last
        last = text
    }
    split(last, verdict, "\t")
    print "\n## " md(name ": " question)
    if (lead)
        print "\n" paragraph(lead)
    print ""
    show("claim", "Claim")
    show("source", "Source")
    show("published", "Published setting")
    show("ours", "Setting here")
    show("hypothesis", "Hypothesis, written before the run")
    show("untestable", count > 1 ? "Not tested" : "Not testable here")
    tested = count > 1
    print "- **Verdict.** **" verdict[2] "**" (tested ? " (" verdict[3] " met): " verdict[4] " runs" : "")
    print name "\t" md(question) "\t" verdict[2] "\t" (tested ? verdict[3] : "-") "\t" (tested ? verdict[4] : "-") >>rows
    if (!tested)
        exit
    print "\n| table | expected | found | met |\n|--:|---|---|---|"
    for (i = 2; i <= count; i++) {
        split(found[i], cell, "\t")
        print "| " cell[1] " | " md(cell[2]) " | " md(cell[3]) " | " cell[4] " |"
    }
    printf "\n%s", commands
    for (i = 2; i <= count; i++) {
        split(found[i], cell, "\t")
        if (cell[1] == table)
            continue
        table = cell[1]
        print "\nTable " table ".\n"
        begun = ""
        while ((getline text <(tables "/" table ".md")) > 0)
            if (begun = begun text)
                print text
    }
    for (i = 1; i <= drawn; i++)
        if (figures[i] != "parameters") # which the tables have
            print "\n![" md(caption[figures[i]]) "](figures/claims/" name "/" figures[i] ".svg)"
}
