# order.awk - the order of the backward pass: each node of s = x A + x B with its turn
# and the number of its users.

function node(x, y, colour, name, turn, users) {
    box(x, y, 100, 40, colour, name, "")
    note(x, y + 38, "turn " turn "; " users)
}

BEGIN {
    canvas(640, 300)
    arrow(130, 28, 280, 54)
    arrow(130, 132, 280, 70)
    arrow(130, 140, 280, 202)
    arrow(130, 240, 280, 218)
    arrow(380, 62, 500, 124)
    arrow(380, 210, 500, 146)
    node(80, 24, "off", "A", 5, "1 user")
    node(80, 136, "lit", "x", 6, "2 users")
    node(80, 240, "off", "B", 3, "1 user")
    node(330, 62, "no", "q = x A", 4, "1 user")
    node(330, 210, "no", "k = x B", 2, "1 user")
    node(550, 136, "no", "s = q + k", 1, "the result")
}
