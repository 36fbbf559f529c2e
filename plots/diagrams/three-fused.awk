# three-fused.awk - heads packed, roles packed, and a product: three meanings of fused.

function strip(x, y, c, name) {
    grid(x, y, 4, 1, 18, c)
    block(x + 18, y + 36, 36, 72, c)
    note(x + 18, y + 36, name)
}
BEGIN {
    canvas(640, 420)
    d = 512
    h = 8
    d_k = d / h
    split("qk qk ov", colour, " ")
    split("Q K V", role, " ")
    # heads of a role, side by side
    words(16, 20, "1. The heads of a role in one matrix", "start bold")
    for (r = 1; r <= 3; r++)
        for (i = 1; i <= 2; i++)
            strip(16 + (r - 1) * 92 + (i - 1) * 36, 36, colour[r], "W_" i "^" role[r])
    words(312, 60, "W^Q = [ W_1^Q  W_2^Q ] and so on", "start")
    note(312, 84, "3 d_{model}^2 = " 3 * d * d " parameters", "start")
    tick(590, 62)
    note(590, 86, "the same", "good")
    # roles, side by side
    words(16, 148, "2. The three roles in one matrix too", "start bold")
    for (r = 1; r <= 3; r++)
        for (i = 1; i <= 2; i++)
            strip(16 + (r - 1) * 72 + (i - 1) * 36, 164, colour[r], "W_" i "^" role[r])
    words(312, 188, "W^{QKV} = [ W^Q  W^K  W^V ]", "start")
    note(312, 212, "3 d_{model}^2 = " 3 * d * d " parameters", "start")
    tick(590, 190)
    note(590, 214, "the same", "good")
    # the product
    words(16, 276, "3. Q and K multiplied", "start bold")
    strip(16, 292, "qk", "W_i^Q")
    words(66, 328, "×", "20")
    block(114, 328, 72, 36, "qk")
    note(114, 328, "W_i^K'")
    words(164, 328, "=", "20")
    block(218, 328, 72, 72, "qk")
    note(218, 328, "W_i")
    words(312, 316, "one full matrix for each head", "start")
    note(312, 340, sprintf("%d d_{model}^2 = %d for Q and K", h, h * d * d), "start")
    note(590, 316, "a larger")
    note(590, 336, "set")
    note(320, 388, "1 and 2 store the same parameters in different boxes: the same function.")
    note(320, 408, "3, learned as one matrix, can do more. (Counts: d_{model} = 512, 8 heads; two of them are drawn.)")
}
