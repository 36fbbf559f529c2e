# here-heads.awk - one head; in colour: the four matrices, which each head has.

BEGIN {
    canvas(640, 204)
    flow("W^Q W^K W^V W^O", 0, 0)
}
