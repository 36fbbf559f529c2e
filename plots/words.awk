# words.awk - text as Markdown and as LaTeX takes it: all of it is seen, none of it acts.

# Links are what follows ] and what has :// or www. in it.
function md(text) {
    gsub(/[\001-\037\177]/, " ", text)
    gsub(/[\\`*_<|&~$]/, "\\\\&", text)
    gsub(/:\//, "\\:/", text)
    gsub(/www\./, "www\\.", text)
    gsub(/\][(:[]/, "\\\\&", text)
    return text
}
# Headings, lists and quotations are how a paragraph begins.
function paragraph(text) {
    text = md(text)
    if (match(text, /^[ 0-9]*[-#+=>.):]/))
        text = substr(text, 1, RLENGTH - 1) "\\" substr(text, RLENGTH)
    return text
}
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
    while (sub(/--/, "-{}-", text)) # no dash
        ;
    sub(/^[[*]/, "{&}", text) # no argument of a \\ before it
    return text
}
