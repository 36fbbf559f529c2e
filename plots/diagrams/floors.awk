# floors.awk - the folders of core/, each built on those below it.

function storey(name, what) {
    block(136, y, 190, 26, "no", 3)
    words(136, y, name)
    note(244, y, what, "start")
    y -= 31
}
BEGIN {
    canvas(640, 332)
    y = 294
    storey("core/base", "errors, words, files, tables, threads")
    storey("core/math", "products, exp, SVD, random numbers, statistics")
    storey("core/tape", "values, gradients, the operators, attend")
    storey("core/variant", "loading a plugin, canonical form, fitting")
    storey("core/task", "what is learned: reverse, recall, text")
    storey("core/model", "embedding, blocks, residual around a variant")
    storey("core/train", "steps, optimizers, conversion, generation")
    storey("core/run", "a run on disk, an experiment")
    storey("core/driver", "the command: compare, equiv, count, inspect, …")
    arrow(24, 44, 24, 296)
    words(24, 28, "uses", "13")
    note(320, 322, "variants/*.so see only core/qkv: the public headers.")
}
