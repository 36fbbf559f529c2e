# here-scale.awk - one head; in colour: where the scale is.

BEGIN {
    canvas(640, 204)
    flow("s softmax", 0, 0)
}
