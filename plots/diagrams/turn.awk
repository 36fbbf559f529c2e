# turn.awk - M goes around a loop and comes back, W_Q does not (lesson 35). The numbers are
# those of lessons/depth/loop.c, which descends in the same way from the same start.

function random_number() {
    state = (state * 48271) % 2147483647
    return 2 * state / 2147483647 - 1
}
# Draws 5 x 2 entries of a W_Q and of a W_K.
function draw(q, k,    i, j) {
    for (i = 0; i < 5; i++)
        for (j = 0; j < 2; j++) {
            q[i, j] = 1.5 * random_number()
            k[i, j] = 1.5 * random_number()
        }
}
# One step of descent on |W_Q W_K' - T|^2 / 2, with T at a time.
function descend(time,    i, j, g, tq, tk, dq, dk) {
    for (i = 0; i < 5; i++)
        for (j = 0; j < 2; j++) {
            tq[i, j] = q0[i, j] + sin(time) * wq[i, j]
            tk[i, j] = k0[i, j] + (1 - cos(time)) * wk[i, j]
            dq[i, j] = dk[i, j] = 0
        }
    for (i = 0; i < 5; i++)
        for (j = 0; j < 5; j++) {
            g = q[i, 0] * k[j, 0] + q[i, 1] * k[j, 1] - tq[i, 0] * tk[j, 0] - tq[i, 1] * tk[j, 1]
            dq[i, 0] += g * k[j, 0]
            dq[i, 1] += g * k[j, 1]
            dk[j, 0] += g * q[i, 0]
            dk[j, 1] += g * q[i, 1]
        }
    for (i = 0; i < 5; i++)
        for (j = 0; j < 2; j++) {
            q[i, j] -= 0.02 * dq[i, j]
            k[i, j] -= 0.02 * dk[i, j]
        }
}
# Notes a point of the four curves: an entry of M against another, and three rows of W_Q.
function record(    i) {
    px[0, points] = q[0, 0] * k[0, 0] + q[0, 1] * k[0, 1]
    py[0, points] = q[1, 0] * k[1, 0] + q[1, 1] * k[1, 1]
    for (i = 1; i <= 3; i++) {
        px[i, points] = q[i, 0]
        py[i, points] = q[i, 1]
    }
    points++
}
# Curves first .. last in a square of 230 pixels, all to one scale; a ring marks a curve's
# start, a dot its end.
function plot(left, first, last, colour,    c, i, low_x, low_y, high_x, high_y, scale, at) {
    low_x = low_y = 1e9
    high_x = high_y = -1e9
    for (c = first; c <= last; c++)
        for (i = 0; i < points; i++) {
            low_x = px[c, i] < low_x ? px[c, i] : low_x
            low_y = py[c, i] < low_y ? py[c, i] : low_y
            high_x = px[c, i] > high_x ? px[c, i] : high_x
            high_y = py[c, i] > high_y ? py[c, i] : high_y
        }
    scale = 210 / (high_x - low_x > high_y - low_y ? high_x - low_x : high_y - low_y)
    for (c = first; c <= last; c++) {
        at = ""
        for (i = 0; i < points; i++)
            at = at sprintf("%s%.1f,%.1f", i ? " " : "", left + (px[c, i] - low_x) * scale, 262 - (py[c, i] - low_y) * scale)
        printf "<polyline class=\"line\" fill=\"none\" stroke=\"%s\" points=\"%s\"/>\n", colour, at
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"#fff\" stroke=\"#505050\" stroke-width=\"1.5\"/>\n", \
            left + (px[c, 0] - low_x) * scale, 262 - (py[c, 0] - low_y) * scale
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#404040\"/>\n", \
            left + (px[c, points - 1] - low_x) * scale, 262 - (py[c, points - 1] - low_y) * scale
    }
}
BEGIN {
    state = 3
    points = 0
    draw(q0, k0)
    draw(wq, wk)
    for (e in q0) {
        q[e] = q0[e]
        k[e] = k0[e]
    }
    record()
    for (step = 0; step < 25000; step++) {
        descend(6.28318530717958648 * (step < 20000 ? step : 20000) / 20000)
        if (step % 200 == 199)
            record()
    }
    canvas(640, 306)
    words(160, 22, "M: two of its entries", "bold")
    words(480, 22, "W_Q: three of its rows", "bold")
    plot(55, 0, 0, "#0072B2")
    plot(375, 1, 3, "#D55E00")
    words(320, 296, "ring: the start; dot: the end, after M has gone once around")
}
