# page.awk - plain text as a part of a page, in Markdown or, with -v latex=1, in LaTeX. It
# is read after words.awk. A line is a paragraph; "# " and "## " begin a title and a
# heading; four blanks begin a line that is seen as it is typed.

function end_code() {
    if (code && latex)
        print "\\end{flushleft}"
    code = 0
}
/^    / {
    if (!code)
        print latex ? "\n\\begin{flushleft}\\ttfamily\\hyphenchar\\font=-1" : ""
    code = 1
    print latex ? "\\mbox{}" tex(substr($0, 5), 1) "\\par" : $0
    next
}
{ end_code() }
/^## / {
    print latex ? "\n\\section*{" tex(substr($0, 4)) "}" : "\n## " md(substr($0, 4))
    next
}
/^# / {
    if (!latex) {
        print "# " md(substr($0, 3))
        next
    }
    print "\\documentclass[twocolumn]{article}"
    print "\\ifdefined\\Umathcode\\usepackage{fontspec}\\else\\usepackage[T1]{fontenc}\\fi"
    print "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}"
    print "\\usepackage{textcomp,booktabs,graphicx}\n\\usepackage[margin=2cm]{geometry}"
    print "\\setlength{\\columnsep}{18pt}\\setlength{\\parindent}{0pt}"
    print "\\setlength{\\parskip}{4pt plus 2pt}\\setlength{\\emergencystretch}{3em}"
    print "\\begin{document}\n\\title{" tex(substr($0, 3)) "}\\author{}\\date{}\n\\maketitle"
    next
}
NF { print "\n" (latex ? tex($0) : paragraph($0)) }
END { end_code() }
