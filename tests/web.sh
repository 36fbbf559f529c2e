#!/bin/sh
# web.sh BUILD - the web edition in headless Chromium, over the pipe of tests/web/browser.mjs
# and a file server in node, which emcc needs anyway: the exact multiply-add in
# WebAssembly, the program against the native one, its size. Skipped, and says so,
# without emcc, node or chromium.

set -eu
build=$1
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || true
command -v emcc >/dev/null && command -v node >/dev/null && [ "$CHROMIUM" ] || {
    echo "web: skipped: it needs emcc, node and chromium (make deps-all)"
    exit 0
}
export CHROMIUM NODE_PATH="/usr/share/nodejs:${NODE_PATH:-}"
work=$build/wasm/hostile
mkdir -p "$work"
# The multiply-add of vectors, here and there, gives what the C library's gives.
baseline=$(cc -march=x86-64 -E -xc /dev/null >/dev/null 2>&1 && echo -march=x86-64) || true
for numbers in FLOAT DOUBLE; do
    flags="-std=c11 -O3 -ffp-contract=off -fno-math-errno -Icore -D_GNU_SOURCE -DQKV_$numbers tests/web/fma.c"
    cc $flags -DLIBRARY -o "$work/library" -lm
    cc $flags $baseline -o "$work/fma" -lm
    emcc $flags -msimd128 -o "$work/fma.js"
    wanted=$("$work/library")
    for found in "$("$work/fma")" "$(node --no-experimental-fetch "$work/fma.js")"; do
        [ "$found" = "$wanted" ] || {
            echo "web: multiply-add of $numbers: $found, not $wanted" >&2
            exit 1
        }
    done
done
for deed in aborts exits recurses; do
    emcc -O1 -Icore -fPIC -sSIDE_MODULE=1 -DDEED=$deed -DPLACE=FORWARD tests/hostile/hostile.c \
        -o "$work/$deed.wasm"
done
# The core and the plugins, as a server that compresses sends them.
for kind in '' -fused; do
    size=$(cd "$build/web" && cat qkv*.js qkv$kind.wasm qkv-double$kind.wasm worker.js engine.js \
        variants/*.wasm variants/double/*.wasm | gzip -9 | wc -c)
    echo "web: core$kind and plugins are $((size / 1000)) kB compressed"
    [ "$size" -lt 1000000 ]
done
node tests/web/engine.mjs "$build"
node tests/web/engine.mjs "$build" by-doubles
