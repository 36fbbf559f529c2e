# here-two-maps.awk - of one head, the maps in front of which a lecture puts another.

BEGIN {
    canvas(640, 204)
    flow("W^Q W^K W^V", 0, 0)
}
