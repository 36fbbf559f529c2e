# embedding-folds.awk - the embedding, multiplied into the three maps behind it.

function map(x, w, y, colour, name, result) {
    box(x, y, w, 38, colour, name)
    arrow(x + w / 2 + 3, y, x + w / 2 + 26, y)
    words(x + w / 2 + 38, y, result)
}
BEGIN {
    canvas(640, 190)
    box(42, 94, 56, 38, "no", "word")
    box(132, 94, 50, 38, "lit", "E")
    arrow(72, 94, 102, 94)
    map(218, 54, 34, "qk", "W^Q", "q")
    map(218, 54, 94, "qk", "W^K", "k")
    map(218, 54, 154, "ov", "W^V", "v")
    arrow(160, 84, 186, 42)
    arrow(160, 94, 186, 94)
    arrow(160, 104, 186, 146)
    wide_arrow(304, 94, 356)
    note(330, 72, "multiply")
    box(412, 94, 56, 38, "no", "word")
    map(534, 78, 34, "qk", "E W^Q", "q")
    map(534, 78, 94, "qk", "E W^K", "k")
    map(534, 78, 154, "ov", "E W^V", "v")
    arrow(442, 84, 490, 42)
    arrow(442, 94, 490, 94)
    arrow(442, 104, 490, 146)
}
