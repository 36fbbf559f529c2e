# here-two-maps.awk - one head; in colour: the maps that make q, k and v.

BEGIN {
    canvas(640, 204)
    flow("W^Q W^K W^V", 0, 0)
}
