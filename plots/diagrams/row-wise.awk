# row-wise.awk - swapping q and k transposes the scores, but not the weights.

BEGIN {
    canvas(640, 320)
    two_tokens()
    transpose(ST, S)
    softmax(PS, ST)
    transpose(PT, P)
    side = 36
    words(16, 24, "as it is", "start bold")
    named(150, 54, "q k'", S, "qk")
    arrow(230, 90, 330, 90)
    note(280, 78, "softmax")
    note(280, 104, "of each row")
    named(340, 54, "weights", P, "bend", "%.2f")
    arrow(420, 90, 520, 90)
    note(470, 78, "transposed")
    named(530, 54, "weights '", PT, "bend", "%.2f")
    words(16, 184, "q, k swapped", "start bold")
    named(150, 200, "k q'", ST, "qk")
    arrow(230, 236, 330, 236)
    note(280, 224, "softmax")
    note(280, 250, "of each row")
    named(340, 200, "weights", PS, "bend", "%.2f")
    arrow(186, 134, 186, 166)
    tick(212, 148)
    note(228, 148, "transposed", "start good")
    path("566,134 566,236 424,236")
    if (near(PS, PT))
        tick(500, 236)
    else {
        cross(512, 236)
        note(536, 256, "not the same", "bad")
    }
    note(320, 302, "Each row sums to 1, not each column: the softmax tells queries from keys.")
}
