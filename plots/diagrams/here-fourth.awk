# here-fourth.awk - one head; in colour: where the fourth matrix is already.

BEGIN {
    canvas(640, 204)
    flow("W^V sum W^O", 0, 0)
}
