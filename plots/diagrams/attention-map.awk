# attention-map.awk - a head's weights on `reverse`, before training and after it, from
# attention-map.tsv, which tables.sh lets the program write.

function map(x, steps, title,    i, j) {
    words(x + 112, 18, title, "bold")
    note(x + 112, 40, "key")
    for (i = 0; i < 8; i++) {
        note(x + (i + 0.5) * 28, 60, token[i])
        note(x - 12, 86 + i * 28, token[i])
        for (j = 0; j < 8; j++)
            shade(x + j * 28, 72 + i * 28, 28, weight[steps, i, j])
    }
    printf "<rect class=\"g\" x=\"%g\" y=\"72\" width=\"224\" height=\"224\"/>\n", x
}
BEGIN {
    canvas(640, 360)
    FS = "\t"
    while ((getline <"plots/diagrams/attention-map.tsv") > 0) {
        token[$2] = $4
        weight[$1, $2, $3] = $6
    }
    map(84, 0, "before training")
    map(376, 300, "after 300 steps")
    words(36, 184, "query")
    for (i = 0; i < 8; i++)
        least = i == 0 || weight[300, i, 7 - i] < least ? weight[300, i, 7 - i] : least
    note(320, 322, "The task: say the digits backwards. The first query needs the last key, and so on.")
    note(320, 344, sprintf("The strongest colour is weight 1. After training, every query gives that key %.2f or more.",
        int(100 * least) / 100))
}
