# page.awk - makes plain text into a page in Markdown or, with -v latex=1, in LaTeX. It needs
# words.awk (-f words.awk -f page.awk). A line is a paragraph; "# " and "## " begin a title
# and a heading; four blanks begin a line of code.

/^    / && !latex { print "\n" $0 }
/^    / && latex {
    text = tex(substr($0, 5))
    gsub(/[,\/]/, "&\\allowbreak{}", text)
    print "\n{\\ttfamily\\raggedright\\hyphenchar\\font=-1 " text "\\par}"
}
/^## / { print latex ? "\n\\section*{" tex(substr($0, 4)) "}" : "\n## " md(substr($0, 4)) }
/^# / && !latex { print "# " md(substr($0, 3)) }
/^# / && latex {
    print "\\documentclass[twocolumn]{article}"
    print "\\ifdefined\\Umathcode\\usepackage{fontspec}\\else\\usepackage[T1]{fontenc}\\fi"
    print "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\\usepackage{textcomp,booktabs,graphicx}"
    print "\\usepackage[margin=2cm]{geometry}\\columnsep=18pt \\parindent=0pt \\parskip=4pt plus 2pt \\emergencystretch=3em"
    print "\\begin{document}\n\\title{" tex(substr($0, 3)) "}\\author{}\\date{}\n\\maketitle"
}
/^([^# ]| ? ? ?[^# ])/ { print "\n" (latex ? tex($0) : paragraph($0)) }
