# here-scale.awk - of one head, where the scale is.

BEGIN {
    canvas(640, 204)
    flow("s softmax", 0, 0)
}
