# rows-columns.awk - x W with tokens as rows is W x with tokens as columns, transposed.

BEGIN {
    canvas(640, 324)
    two_tokens()
    row_of(ROW, X, 2)
    product(QR, ROW, WQ)
    transpose(COL, ROW)
    transpose(WT, WQ)
    product(QC, WT, COL)
    transpose(QCT, QC)
    words(16, 20, "this book and most code: a token is a row, q = x W", "start bold")
    named(120, 84, "x", ROW, "no")
    words(224, 98, "×", "20")
    named(246, 56, "W", WQ, "qk")
    words(322, 98, "=", "20")
    named(346, 84, "q", QR, "qk")
    line(16, 158, 624, 158, "dash")
    words(16, 182, "many lectures: a token is a column, q = W x", "start bold")
    named(120, 224, "their W", WT, "qk")
    words(224, 252, "×", "20")
    named(246, 216, "x", COL, "no")
    words(298, 252, "=", "20")
    named(322, 224, "q", QC, "qk")
    if (same(QCT, QR)) {
        tick(440, 110)
        words(458, 110, "the same numbers;", "start 14 good")
        words(458, 130, "their W is our W'", "start 14 good")
    }
    note(320, 314, "Transposing turns a product round: (W x)' = x' W'.")
}
