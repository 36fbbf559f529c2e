# cache-bars.awk - numbers that a decoder keeps of each token, by closed formulas:
# 2 h d_k, 2 g d_k, 2 d_k and the width of c (with the rotary key, where there is one).

function bars(y, most,    i, w) {
    for (i = 1; i <= 4; i++) {
        w = 400 * kept[i] / most
        words(112, y + (i - 1) * 30, name[i], "end")
        if (i == 4)
            bar(122, y - 11 + (i - 1) * 30, w, 22, "lit")
        else {
            bar(122, y - 11 + (i - 1) * 30, w / 2, 22, "qk")
            bar(122 + w / 2, y - 11 + (i - 1) * 30, w / 2, 22, "ov")
        }
        words(130 + w, y + (i - 1) * 30, sprintf("%d", kept[i]), "start")
    }
}
BEGIN {
    canvas(640, 372)
    split("standard GQA MQA MLA", name, " ")
    h = 8; d_k = 64; g = 4; r = 64
    kept[1] = 2 * h * d_k
    kept[2] = 2 * g * d_k
    kept[3] = 2 * d_k
    kept[4] = r
    words(16, 18, sprintf("This book's shape: h = %d, d_k = %d, g = %d, r = %d", h, d_k, g, r), "start bold")
    bars(50, kept[1])
    h = 128; d_k = 128; g = 8; r = 512; rope = 64; layers = 60
    kept[1] = 2 * h * d_k * layers
    kept[2] = 2 * g * d_k * layers
    kept[3] = 2 * d_k * layers
    kept[4] = (r + rope) * layers
    words(16, 186, "DeepSeek-V2's shape, all 60 layers: h = 128, d_k = 128, g = 8,", "start bold")
    words(16, 206, "r = 512 and 64 for positions", "start bold")
    bars(240, kept[1])
    note(320, 356, "Blue is keys, orange values, green the c that both are made of.")
}
