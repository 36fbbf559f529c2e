# here-cache.awk - one head; in colour: what a decoder keeps, and what makes it.

BEGIN {
    canvas(640, 204)
    flow("y W^K W^V", 0, 0)
}
