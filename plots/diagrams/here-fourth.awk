# here-fourth.awk - of one head, where the fourth matrix already is.

BEGIN {
    canvas(640, 204)
    flow("W^V sum W^O", 0, 0)
}
