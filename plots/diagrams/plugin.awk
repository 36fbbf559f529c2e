# plugin.awk - what a plugin exports, what it calls, and what it gets for that.

BEGIN {
    canvas(640, 318)
    block(150, 128, 220, 196, "no", 6)
    words(150, 50, "mine.so", "bold")
    box(150, 90, 180, 34, "lit", "qkv\\_variant: abi, …")
    box(150, 136, 180, 34, "lit", "weights, forward")
    box(150, 182, 180, 34, "off", "fit, settings")
    note(150, 212, "optional")
    block(490, 128, 220, 196, "no", 6)
    words(490, 50, "qkv", "bold")
    box(490, 90, 180, 34, "off", "finds qkv\\_variant")
    box(490, 136, 180, 34, "lit", "matmul, split, attend")
    box(490, 182, 180, 34, "off", "tape, tasks, training")
    arrow(398, 90, 244, 90)
    note(320, 78, "dlopen, dlsym")
    arrow(242, 136, 396, 136)
    note(320, 124, "calls them")
    words(320, 256, "You write an equation. The program gives it its gradient, its count,")
    words(320, 278, "its training runs, its conversions and its figures.")
    note(320, 306, "The version (abi) is checked before anything else is used.")
}
