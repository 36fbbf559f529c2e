# parameters-d-k.awk - parameters of the pair W_i^Q, W_i^K against d_k, and of a full W_i.

function px(u) { return 76 + 380 * u / d }
function py(u) { return 270 - 220 * u / (2 * d * d) }
BEGIN {
    canvas(640, 330)
    d = 512
    line(px(0), py(0), px(d) + 12, py(0))
    line(px(0), py(0), px(0), py(2 * d * d) - 6)
    for (i = 0; i <= d; i += 128) {
        line(px(i), py(0), px(i), py(0) + 5)
        note(px(i), py(0) + 18, i)
    }
    words(px(d / 2), py(0) + 42, "d_k")
    for (i = 0; i <= 2; i++)
        note(px(0) - 10, py(i * d * d), i ? (i > 1 ? i " " : "") "d_{model}^2" : "0", "end")
    for (i = 0; i <= d; i += 8)
        really = really sprintf("%g,%g ", px(i), py(2 * d * i - i * i))
    curve(sprintf("%g,%g %g,%g", px(0), py(0), px(d), py(2 * d * d)), "#0072B2")
    curve(really, "#0072B2", "3 4")
    curve(sprintf("%g,%g %g,%g", px(0), py(d * d), px(d), py(d * d)), "#404040")
    words(px(d) + 8, py(2 * d * d) + 6, "stored: 2 d_{model} d_k", "start")
    words(px(d) + 8, py(d * d) - 26, "a full W_i: d_{model}^2", "start")
    words(px(d) + 8, py(d * d) + 22, "really there:", "start")
    words(px(d) + 8, py(d * d) + 44, "2 d_{model} d_k − d_k^2", "start")
    dot(px(d / 2), py(d * d), 5, "#404040")
    note(px(d / 2) - 10, py(d * d) - 18, "equal at d_k = d_{model}/2", "end")
    dot(px(64), py(2 * d * 64), 5, "#404040")
    note(px(64) + 12, py(2 * d * 64) + 8, sprintf("d_k = 64: %g times fewer", d * d / (2 * d * 64)), "start")
}
