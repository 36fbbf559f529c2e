# words.awk - escapes a text for Markdown or LaTeX, so that every character is shown, and none is
# taken for a command.

# md: for Markdown. ":/", "www." and what follows a ] could become links.
function md(text) {
    gsub(/[\001-\037\177]/, " ", text)
    gsub(/[\\`*_<|&~$]/, "\\\\&", text)
    gsub(/:\//, "\\:/", text)
    gsub(/www\./, "www\\.", text)
    gsub(/\][(:[]/, "\\\\&", text)
    return text
}
# paragraph: for the beginning of a line, where a heading, list or quotation could begin too.
function paragraph(text) {
    text = md(text)
    if (match(text, /^[ 0-9]*[-#+=>.):]/))
        text = substr(text, 1, RLENGTH - 1) "\\" substr(text, RLENGTH)
    return text
}
# tex: for LaTeX.
function tex(text) {
    gsub(/[\001-\037\177]/, " ", text)
    gsub(/[\200-\377]/, "?", text)
    gsub(/\\/, "\001", text)
    gsub(/[&%$#_{}]/, "\\\\&", text)
    gsub(/\001/, "\\textbackslash{}", text)
    gsub(/\^/, "\\textasciicircum{}", text)
    gsub(/~/, "\\textasciitilde{}", text)
    gsub(/</, "\\textless{}", text)
    gsub(/>/, "\\textgreater{}", text)
    gsub(/\|/, "\\textbar{}", text)
    gsub(/"/, "\\symbol{34}", text)
    gsub(/'/, "\\textquotesingle{}", text)
    gsub(/`/, "\\textasciigrave{}", text)
    while (sub(/--/, "-{}-", text)) # or TeX would join them to a dash
        ;
    sub(/^[[*]/, "{&}", text) # or a \\ before it would take it for its argument
    return text
}
