# pair-or-one.awk - a score by two thin matrices, or by one that is square.

function row(x) { block(x + 50, 100, 100, 12, "no"); words(x + 50, 78, "x") }
function column(x) { block(x + 6, 100, 12, 100, "no"); words(x + 6, 36, "y'") }
BEGIN {
    canvas(640, 196)
    words(152, 14, "a pair of thin matrices", "bold")
    row(8)
    block(134, 100, 20, 100, "qk")
    words(134, 33, "W_i^Q")
    block(210, 100, 100, 20, "qk")
    words(210, 74, "W_i^K'")
    column(280)
    words(328, 100, "or")
    words(508, 14, "one square matrix", "bold")
    row(362)
    block(534, 100, 100, 100, "qk")
    words(534, 100, "W_i")
    column(606)
    note(320, 180, "Both give one number for each query and key: the score.")
}
