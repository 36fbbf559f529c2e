# draft.awk - a run is written beside its place, and appears by one renaming.

BEGIN {
    canvas(640, 252)
    split("make a hidden/directory|write the files|flush them/to disk|rename it", what, "|")
    split("mkdtemp|config, log, weights|fsync|one step", how, "|")
    for (i = 1; i <= 4; i++) {
        x = 92 + (i - 1) * 152
        box(x, 66, 126, 54, i == 4 ? "lit" : "no")
        lines = split(what[i], said, "/")
        for (k = 1; k <= lines; k++)
            words(x, 66 + 20 * (k - (lines + 1) / 2), said[k])
        note(x, 106, how[i])
        if (i > 1)
            arrow(x - 88, 66, x - 64, 66)
    }
    words(16, 18, "killed here …", "start bold")
    for (i = 1; i <= 3; i++)
        cross(168 + (i - 1) * 152, 34, 7)
    path("20,146 486,146", "blunt")
    path("510,146 620,146", "blunt")
    words(253, 168, "… nothing is there; the next command")
    words(253, 188, "removes the hidden directory")
    words(566, 168, "the whole")
    words(566, 188, "run is there")
    note(320, 234, "There is never half a run.")
}
