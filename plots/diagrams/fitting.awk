# fitting.awk - the nearest M of a lower rank: the largest singular values are kept. They
# are those of singular-values.tsv, which tables.sh lets the program write.

BEGIN {
    canvas(640, 324)
    FS = "\t"
    table = "plots/diagrams/singular-values.tsv"
    getline <table
    r = 8
    while ((getline <table) > 0) {
        s = $2 + 0
        most = $1 == 1 ? s : most
        all += s ^ 2
        lost += $1 > r ? s ^ 2 : 0
        bar(24 + ($1 - 1) * 10, 210 - 160 * s / most, 8, 160 * s / most, ($1 <= r ? "qk" : "off"))
    }
    words(180, 20, "singular values of a trained W_i", "bold")
    line(18, 210, 350, 210)
    printf "<path d=\"M%g,40V238\" class=\"a dash\"/>\n", 23 + r * 10
    note(62, 226, "kept: " r)
    note(180, 226, "lost")
    words(510, 20, "the nearest pair of width " r, "bold")
    block(410, 124, 36, 144, "qk")
    words(410, 124, "W^Q")
    words(446, 124, "×", "20")
    block(536, 124, 144, 36, "qk")
    words(536, 124, "W^K'")
    note(410, 212, "u_j √s_j")
    note(536, 158, "√s_j v_j'")
    note(320, 280, sprintf("What is lost is the root of the sum of the squares that are cut: %.2f of %.2f.", sqrt(lost), sqrt(all)))
    note(320, 304, "No pair of that width comes nearer (Eckart and Young 1936).")
}
