# order.awk - the order of the backward pass: each node of s = x A + x B with the number
# of its users and its turn.

function node(x, y, colour, name, users, turn) {
    box(x, y, 92, 40, colour, name, "")
    note(x, y + 38, users)
    words(x + 62, y + 5, turn, "bold")
}

BEGIN {
    canvas(640, 250)
    arrow(126, 125, 254, 62)
    arrow(126, 125, 254, 172)
    line(126, 22, 254, 46)
    line(126, 222, 254, 194)
    arrow(386, 54, 464, 110)
    arrow(386, 180, 464, 128)
    node(80, 22, "off", "A", "1 user", "5")
    node(80, 118, "lit", "x", "2 users: waits", "6")
    node(80, 216, "off", "B", "", "3")
    node(300, 54, "no", "q = x A", "1 user", "4")
    node(300, 180, "no", "k = x B", "1 user", "2")
    node(512, 118, "no", "s = q + k", "the result", "1")
}
