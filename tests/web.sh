#!/bin/sh
# web.sh BUILD - the web edition in headless Chromium, over the pipe of
# tests/web/browser.mjs and a file server in node, which emcc needs anyway: the program
# against the native one, bit for bit, with the multiply-add of WebAssembly and without;
# its size; every Run of every lesson, the playground, lines to type equations in, and exercises,
# used as a reader would. Only here does anything of lessons/web run. Skipped, and says so,
# without emcc, node or chromium, or where `make web` has made nothing.

set -eu
build=$1
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || true
command -v emcc >/dev/null && command -v node >/dev/null && [ "$CHROMIUM" ] && [ -e "$build/web/qkv.wasm" ] || {
    echo "web: skipped: it needs emcc, node and chromium (make deps-all), and make web"
    exit 0
}
export CHROMIUM NODE_PATH="/usr/share/nodejs:${NODE_PATH:-}"
work=$build/wasm/hostile
mkdir -p "$work"
for deed in 'aborts abort()' 'exits exit(0)' 'recurses recurses()'; do
    emcc -O1 -Icore -fPIC -sSIDE_MODULE=1 -DFORWARD="${deed#* }" tests/hostile/hostile.c \
        -o "$work/${deed% *}.wasm"
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
node tests/web/playground.mjs "$build/web"
node tests/web/equation.mjs "$build/web"
node tests/web/reach.mjs "$build/web"
node tests/web/lessons.mjs "$build/web"
