# here-embedding.awk - one head; in colour: what reads the embedding.

BEGIN {
    canvas(640, 204)
    flow("x y W^Q W^K W^V", 0, 0)
}
