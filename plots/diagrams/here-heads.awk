# here-heads.awk - of one head, what many heads have each: their four matrices.

BEGIN {
    canvas(640, 204)
    flow("W^Q W^K W^V W^O", 0, 0)
}
