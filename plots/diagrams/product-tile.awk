# product-tile.awk - a tile of the product: what is in registers, and what it reads.

BEGIN {
    canvas(640, 330)
    side = 16
    rows = 6
    vectors = 4
    wide = 2
    cols = vectors * wide
    ax = 24; bx = 240; ay = 170; by = 24
    grid(bx, by, 8, 14, side, "no")
    grid(ax, ay, 8, 8, side, "no")
    grid(bx, ay, 8, 14, side, "off")
    grid(bx + 2 * side, ay + side, rows, cols, side, "lit")
    grid(bx + 2 * side, by + 4 * side, 1, cols, side, "lit")
    grid(ax + 4 * side, ay + side, rows, 1, side, "lit")
    words(bx - 20, by + 64, "B")
    words(ax - 12, ay + 64, "A")
    words(bx + 14 * side + 20, ay + 64, "C")
    arrow(ax + 5 * side + 4, ay + 4 * side, bx + 2 * side - 4, ay + 4 * side)
    arrow(bx + 6 * side, by + 5 * side + 4, bx + 6 * side, ay + side - 4)
    note(486, 50, "from B: " vectors " vectors", "start")
    note(486, 70, "from A: " rows " numbers", "start")
    note(486, 96, sprintf("%d loads for %d", vectors + rows, vectors * rows), "start")
    note(486, 114, "vector multiply-adds", "start")
    path("480,54 " bx + 10 * side + 4 "," by + 4.5 * side)
    note(320, 316, sprintf("The tile of C, %d rows by %d vectors, stays in registers until it is done.", rows, vectors))
}
