# mla-rope.awk - MLA as published: what is rotated has columns of its own.

BEGIN {
    canvas(640, 336)
    d_c = 128
    d_r = 64
    s = 1.5
    left = 56
    mid = left + d_c * s / 2
    right = left + (d_c + d_r / 2) * s
    words(mid, 20, "content, " d_c, "bold")
    words(right, 20, "position, " d_r, "bold")
    words(left - 12, 54, "q_i", "end")
    words(left - 12, 94, "k_i", "end")
    block(mid, 54, d_c * s, 28, "qk")
    words(mid, 54, "q_i^C")
    block(mid, 94, d_c * s, 28, "qk")
    words(mid, 94, "c W_i^{UK}")
    block(right, 54, d_r * s, 28, "bend")
    words(right, 54, "q_i^R rotated")
    block(right, 94, d_r * s, 28, "bend")
    words(right, 94, "k^R rotated")
    note(368, 54, "each head has its own", "start")
    note(368, 86, "k^R: one for all heads,", "start")
    note(368, 104, "kept along with c", "start")
    tick(mid - 60, 138)
    words(mid - 42, 130, "nothing between:", "start 13")
    words(mid - 42, 148, "W^{UK} merges into W^Q", "start 13")
    cross(right - 40, 138, 7)
    words(right - 24, 130, "a rotation between:", "start 13")
    words(right - 24, 148, "cannot merge", "start 13")
    words(16, 196, "score = q_i^C k_i^C' + q_i^R k^R' : a token's content and its position, added", "start")
    words(16, 242, "Kept for each token, and what standard attention would keep (to scale):", "start bold")
    h = 128
    r = 512
    w = 600
    bar(16, 262, (r + d_r) / (2 * h * d_c) * w, 22, "lit")
    words(36, 273, sprintf("c and k^R: %d + %d = %d", r, d_r, r + d_r), "start")
    bar(16, 294, w / 2, 22, "qk")
    bar(16 + w / 2, 294, w / 2, 22, "ov")
    words(166, 305, sprintf("k: %d heads of %d", h, d_c))
    words(466, 305, sprintf("v: %d heads of %d", h, d_c))
    note(622, 273, sprintf("standard: %d", 2 * h * d_c), "end")
}
