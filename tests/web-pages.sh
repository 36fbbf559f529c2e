#!/bin/sh
# web-pages.sh BUILD - the pages of the web edition, used as a reader would use them in
# headless Chromium: every Run of every lesson. Skipped, and says so,
# without node or chromium, or where `make web` has not made them.

set -u
build=$1
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
command -v node >/dev/null && [ "$CHROMIUM" ] && [ -e "$build/web/qkv.wasm" ] || {
    echo "web-pages: skipped: it needs node, chromium (make deps-all) and make web"
    exit 0
}
export CHROMIUM
failed=0
for test in ${PAGES:-lessons playground}; do
    node "tests/web/$test.mjs" "$build/web" || failed=$((failed + 1))
done
[ $failed -eq 0 ]
