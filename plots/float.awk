# float.awk - makes a caption into a LaTeX float with the figure $QKV_FIGURE.pdf. It needs
# words.awk (-f words.awk -f float.awk). The figure is as wide as it was drawn, but no wider
# than its column, and LaTeX finds it beside the float, whichever folder it runs in.

{
    name = ENVIRON["QKV_FIGURE"]
    print "% needs \\usepackage{graphicx}, and for the folder of this file a LaTeX of 2020"
    print "\\providecommand\\CurrentFilePath{}\n\\begin{figure}[tb]\n\\centering"
    print "\\sbox0{\\includegraphics{\\ifx\\CurrentFilePath\\empty\\else\\CurrentFilePath/\\fi " name ".pdf}}%"
    print "\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi"
    print "\\caption{" tex($0) "}\n\\label{fig:" name "}\n\\end{figure}"
}
