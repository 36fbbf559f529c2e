# here-embedding.awk - of one head, what reads the embedding.

BEGIN {
    canvas(640, 204)
    flow("x y W^Q W^K W^V", 0, 0)
}
