# glossary.awk - no lesson uses a term of the glossary before the lesson that explains it.
#
#     awk -f lessons/glossary.awk lessons/32-notation.md lessons/0*.md lessons/1[0-8]*.md
#
# The first file is that of the glossary, whose last column names a term's lesson; the
# others are the lessons in their order. A paragraph that links to a term's lesson may use
# it, since its reader knows where to look; so may a question, which is in the asker's
# words, the lists of lesson 00, and what is hidden or code.

function plain(text) {
    gsub(/<!--[^>]*-->/, " ", text)
    gsub(/!\[[^]]*\]/, " ", text)
    gsub(/<[^>]*>|`[^`]*`|\]\([^)"]*|\$\$[^$]*\$\$/, " ", text)
    gsub(/[^A-Za-z-]+/, " ", text)
    return " " text " "
}
# A term in capitals is looked for as it is written; of the others, also at the head of a
# sentence and in the plural.
function uses(text, term) {
    if (term !~ /[A-Z]/)
        text = tolower(text)
    return index(text, " " term " ") || index(text, " " term "s ")
}
function paragraph(    term, text) {
    text = whole
    whole = ""
    sub(/^ +/, "", text)
    if (text ~ /^\*\*The question/ || list)
        return
    for (term in lesson)
        if (!(term in first) && index(text, "](" lesson[term] "-") == 0 && uses(plain(text), term)) {
            first[term] = here
            if (here < lesson[term]) {
                printf "%s: uses \"%s\", which lesson %s explains\n", name, term, lesson[term]
                failed = 1
            }
        }
}

FNR == 1 {
    paragraph()
    name = FILENAME
    here = FILENAME
    sub(/.*\//, "", here)
    here = substr(here, 1, 2)
    code = hidden = list = 0
}
NR == FNR {
    if (/^## Glossary/)
        glossary = 1
    if (glossary && match($0, /\[[0-9][0-9]\]/)) {
        number = substr($0, RSTART + 1, 2)
        split($0, cell, "|")
        n = split(cell[2], term, ",")
        for (i = 1; i <= n; i++) {
            gsub(/^ +| +$/, "", term[i])
            lesson[term[i]] = number
        }
    }
    next
}
/^<!--$/ { hidden = 1 }
/^-->$/ { hidden = 0; next }
/^```/ { code = !code; next }
code || hidden { next }
/^## / { list = /^## The (lessons|questions)/ }
/^$|^[0-9]\. |^- / { paragraph() }
{ whole = whole $0 " " }
END {
    paragraph()
    exit failed
}
