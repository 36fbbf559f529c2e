# strips.awk - attention in strips of 32 rows: only one strip of P is in memory.

BEGIN {
    canvas(640, 316)
    tokens = 160
    strip = 32
    s = 1.4
    left = 90; top = 40
    words(left + tokens * s / 2, 18, "P, " tokens " × " tokens, "bold")
    block(left + tokens * s / 2, top + tokens * s / 2, tokens * s, tokens * s, "no")
    for (i = 1; i <= tokens / strip; i++) {
        w = i * strip * s
        block(left + w / 2, top + (i - 0.5) * strip * s, w, strip * s, i == 4 ? "lit" : "off")
        note(left - 10, top + (i - 0.5) * strip * s, strip " rows", "end")
    }
    words(left + 2 * strip * s, top + 3.5 * strip * s, "in memory")
    printf "<path d=\"M%g,%gL%g,%g\" class=\"a dash\"/>\n", left, top, left + tokens * s, top + tokens * s
    for (i = 1; i <= 2; i++)
        block(left + tokens * s + 20 + (i - 1) * 22, top + tokens * s / 2, 14, tokens * s, "lit")
    note(left + tokens * s + 66, top + 20, "kept for each row until the", "start")
    note(left + tokens * s + 66, top + 38, "backward pass: its maximum", "start")
    note(left + tokens * s + 66, top + 56, "and 1 / sum", "start")
    note(left + tokens * s + 66, top + 104, "A strip is computed, used", "start")
    note(left + tokens * s + 66, top + 122, "for P V, and overwritten", "start")
    note(left + tokens * s + 66, top + 140, "by the next.", "start")
    note(320, 296, "Causal: a strip ends where its last row's tokens end; nothing to the right of it is computed.")
}
