# tape.awk - five nodes on a tape: values forward, gradients backward, in whole numbers.

BEGIN {
    canvas(640, 400)
    set(A, "1 2")
    set(B, "1 0 / 1 1")
    product(C, A, B)
    D["r"] = DC["r"] = 1
    D["c"] = DC["c"] = 2
    for (j = 1; j <= 2; j++) {
        D[1, j] = C[1, j] ^ 2
        DC[1, j] = 2 * C[1, j]
        loss += D[1, j]
    }
    set(DD, "1 1")
    transpose(AT, A)
    product(DB, AT, DC)
    product_t(DA, DC, B)
    set(L, loss "")
    set(DL, "1")

    words(16, 20, "forward: values, from left to right", "start bold")
    named(30, 70, "x", A, "no")
    named(30, 150, "W", B, "no")
    named(200, 96, "a = x W", C, "no")
    named(370, 96, "b = a · a", D, "no")
    named(548, 96, "L = sum of b", L, "no")
    arrow(90, 86, 194, 106)
    arrow(90, 172, 194, 118)
    arrow(260, 110, 364, 110)
    arrow(430, 110, 542, 110)
    line(16, 222, 624, 222, "dash")
    words(16, 246, "backward: gradients, from right to left", "start bold")
    named(30, 286, "dx = da W'", DA, "lit")
    named(30, 338, "", DB, "lit")
    words(104, 366, "dW = x' da", "start")
    named(240, 296, "da = 2 a · db", DC, "lit")
    named(400, 296, "db", DD, "lit")
    named(548, 296, "dL", DL, "lit")
    arrow(542, 310, 462, 310)
    arrow(394, 310, 302, 310)
    arrow(234, 306, 94, 300)
    arrow(234, 318, 94, 348)
}
