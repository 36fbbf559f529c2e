# attention-tiles.awk - attention in tiles of 32 rows: only one tile of P is in memory.

BEGIN {
    canvas(640, 316)
    tokens = 160
    tile = 32
    s = 1.4
    left = 90; top = 40
    words(left + tokens * s / 2, 18, "P, " tokens " × " tokens, "bold")
    block(left + tokens * s / 2, top + tokens * s / 2, tokens * s, tokens * s, "no")
    for (i = 1; i <= tokens / tile; i++) {
        w = i * tile * s
        block(left + w / 2, top + (i - 0.5) * tile * s, w, tile * s, i == 4 ? "lit" : "off")
        note(left - 10, top + (i - 0.5) * tile * s, tile " rows", "end")
    }
    words(left + 2 * tile * s, top + 3.5 * tile * s, "in memory")
    printf "<path d=\"M%g,%gL%g,%g\" class=\"a dash\"/>\n", left, top, left + tokens * s, top + tokens * s
    note(left + tokens * s + 30, top + 20, "Forward: a tile is computed,", "start")
    note(left + tokens * s + 30, top + 38, "used for P V, and overwritten", "start")
    note(left + tokens * s + 30, top + 56, "by the next.", "start")
    note(left + tokens * s + 30, top + 104, "Backward: it is computed", "start")
    note(left + tokens * s + 30, top + 122, "again, used for four products,", "start")
    note(left + tokens * s + 30, top + 140, "and overwritten by the next.", "start")
    note(320, 296, "Causal: a tile ends with the last key that its last row sees; nothing to the right is computed.")
}
