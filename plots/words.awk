# words.awk - text as Markdown or LaTeX takes it: all of it is seen, none of it acts.

# md(TEXT): links are what follows ] and what has :// or www. in it.
function md(text) {
    gsub(/[\001-\037\177]/, " ", text)
    gsub(/[\\`*_<|&~$]/, "\\\\&", text)
    gsub(/:\//, "\\:/", text)
    gsub(/www\./, "www\\.", text)
    gsub(/\]\(/, "\\](", text)
    gsub(/\]\[/, "\\][", text)
    gsub(/\]:/, "\\]:", text)
    return text
}

# paragraph(TEXT): headings, lists and quotations are how one begins.
function paragraph(text) {
    text = md(text)
    if (match(text, /^[ 0-9]*[-#+=>.):]/))
        text = substr(text, 1, RLENGTH - 1) "\\" substr(text, RLENGTH)
    return text
}

# tex(TEXT, CODE): in code a quote is straight, and a line breaks at blanks, commas and
# slashes.
function tex(text, code,    i, c, all) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (index("&%$#_{}", c))
            c = "\\" c
        else if (c in NAMED)
            c = NAMED[c]
        else if (c < " " || c > "~")
            c = c < " " ? " " : "?"
        else if (code && c == " ")
            c = "\\ "
        else if (code && (c == "," || c == "/"))
            c = c "\\allowbreak{}"
        all = all c
        if (index("-'`,?!", c) && index("-'`,", substr(text, i + 1, 1)))
            all = all "{}" # two of them would become another sign
    }
    sub(/^[[*]/, "{&}", all) # no argument of a \\ before it
    return all
}

BEGIN {
    NAMED["\\"] = "\\textbackslash{}"
    NAMED["~"] = "\\textasciitilde{}"
    NAMED["^"] = "\\textasciicircum{}"
    NAMED["<"] = "\\textless{}"
    NAMED[">"] = "\\textgreater{}"
    NAMED["|"] = "\\textbar{}"
    NAMED["\""] = "\\symbol{34}"
    NAMED["`"] = "\\textasciigrave{}"
}
