# here-full-matrix.awk - one head; in colour: what one full matrix W_i replaces.

BEGIN {
    canvas(640, 204)
    flow("W^Q W^K s", 0, 0)
}
