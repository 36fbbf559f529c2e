# fitting.awk - the nearest M of a lower rank: the largest singular values are kept.

BEGIN {
    canvas(640, 320)
    n = split("5.2 4.1 3.0 2.3 1.1 0.7 0.4 0.2", s, " ")
    r = 4
    words(160, 20, "singular values of M", "bold")
    line(24, 200, 300, 200)
    for (i = 1; i <= n; i++) {
        bar(30 + (i - 1) * 34, 200 - 30 * s[i], 24, 30 * s[i], i <= r ? "qk" : "off")
        note(42 + (i - 1) * 34, 214, i)
        all += s[i] ^ 2
        if (i > r)
            lost += s[i] ^ 2
    }
    printf "<path d=\"M%g,40V226\" class=\"a dash\"/>\n", 27 + r * 34 - 2
    note(27 + r * 34 / 2, 236, "kept: d_k = " r)
    note(27 + r * 34 + 68, 236, "lost")
    words(500, 20, "and shared by both factors", "bold")
    block(366, 118, 44, 130, "qk")
    words(366, 118, "W^Q")
    words(408, 118, "×", "20")
    block(500, 118, 130, 44, "qk")
    words(500, 118, "W^K'")
    note(366, 200, "u_j √s_j")
    note(500, 156, "√s_j v_j'")
    note(320, 276, sprintf("What is lost is the root of the sum of the cut squares: %.2f of %.2f here.", sqrt(lost), sqrt(all)))
    note(320, 300, "No pair of that width comes nearer (Eckart and Young 1936).")
}
