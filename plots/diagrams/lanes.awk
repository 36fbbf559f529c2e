# lanes.awk - a sum of 40 entries in 16 lanes, then in halves: always the same order.

BEGIN {
    canvas(640, 342)
    side = 30
    left = 60
    lit = 3
    for (i = 0; i < 40; i++) {
        x = left + (i % 16 + 0.5) * side
        y = 40 + int(i / 16) * 26
        block(x, y, side, 26, i % 16 == lit ? "lit" : "no")
        note(x, y, i)
    }
    words(left + 8 * side, 14, "Entry i goes to lane i mod 16", "bold")
    y = 152
    for (n = 16; n >= 1; n /= 2) {
        for (i = 0; i < n; i++) {
            x = left + (i + 0.5) * side
            block(x, y, side, 24, i == lit % n ? "lit" : "off")
        }
        note(left + n * side + 12, y, n > 1 ? n " sums" : "the sum", "start")
        if (n > 1)
            line(left + (lit % n + 0.5) * side, y + 12, left + (lit % (n / 2) + 0.5) * side, y + 22)
        y += 34
    }
    line(left + (lit + 0.5) * side, 105, left + (lit + 0.5) * side, 140)
    note(356, 246, "The upper half is added to the lower half", "start")
    note(356, 264, "until one sum is left.", "start")
    note(320, 330, "One vector of 16, two of 8 or four of 4: the same additions in the same order.")
}
