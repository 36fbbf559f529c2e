# real-parameters.awk - parameters stored, and how many of them are really there, from
# real-parameters.tsv, which tables.sh lets the program write.

BEGIN {
    canvas(640, 458)
    FS = "\t"
    table = "plots/diagrams/real-parameters.tsv"
    getline <table
    y = 40
    bar(146, 8, 26, 16, "qk")
    words(180, 16, "really there", "start bold")
    bar(310, 8, 26, 16, "off")
    words(344, 16, "the rest: gauge", "start bold")
    while ((getline <table) > 0) {
        words(140, y + 9, $1, "end 13")
        bar(146, y, $2 * 0.15, 18, "off")
        bar(146, y, $3 * 0.15, 18, "qk")
        note(152 + $2 * 0.15, y + 9, $3 " of " $2, "start")
        y += 26
    }
    note(320, y + 12, "d_{model} = 16, four heads. Measured: qkv count --real")
}
