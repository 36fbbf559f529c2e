# float.awk - each caption NAME.txt as NAME.tex, a float that has the figure NAME.pdf; read
# after words.awk. The figure is as wide as it was drawn, but no wider than its column, and is
# found from whichever folder the float is read.

{
    name = FILENAME
    gsub(/^.*\/|\.txt$/, "", name)
    float = substr(FILENAME, 1, length(FILENAME) - 3) "tex"
    print "% needs \\usepackage{graphicx}, and for the folder of this file a LaTeX of 2020" >float
    print "\\providecommand\\CurrentFilePath{}\n\\begin{figure}[tb]\n\\centering" >float
    print "\\sbox0{\\includegraphics{\\ifx\\CurrentFilePath\\empty\\else\\CurrentFilePath/\\fi " name ".pdf}}%" >float
    print "\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi" >float
    print "\\caption{" tex($0) "}\n\\label{fig:" name "}\n\\end{figure}" >float
}
