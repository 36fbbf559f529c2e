#!/bin/sh
# book.sh BUILD - the book, looked at by a browser: no figure is missing, every link
# leads somewhere, nothing comes from the network, no formula is left as TeX, and a
# phone need not be scrolled sideways. Skipped, and says so, without pandoc or chromium.

set -u
build=$(cd "$1" && pwd)
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
command -v pandoc >/dev/null && [ "$browser" ] || {
    echo "book: skipped: it needs pandoc and chromium (make deps-all)"
    exit 0
}
sh lessons/book.sh "$build" >/dev/null || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# look WIDTH PAGE: what is wrong with the page, seen through a window so wide.
look() {
    cat >"$work/script" <<'END'
<script>
addEventListener('load', () => {
    const wrong = [], code = document.querySelectorAll('pre, code');
    for (const e of code) e.style.display = 'none'; // where TeX is shown as such
    const seen = document.body.innerText;
    for (const e of code) e.style.display = '';
    const say = (...words) => wrong.push(words.join(' '));
    for (const i of document.images)
        if (!i.naturalWidth) say('figure missing:', i.alt || i.src.slice(0, 60));
    for (const a of document.links) {
        const to = a.getAttribute('href');
        if (!to.startsWith('#')) say('link out of the book:', to);
        else if (!document.getElementById(to.slice(1))) say('link to nowhere:', to);
    }
    for (const e of document.querySelectorAll('[src], link[href]')) {
        const from = e.getAttribute('src') || e.getAttribute('href');
        if (!from.startsWith('data:')) say('from outside:', from.slice(0, 60));
    }
    for (const tex of seen.match(/\$\$|\\[a-z]+\{|\\(frac|sum|sqrt|qquad)/g) || [])
        say('raw TeX:', tex);
    const math = document.querySelectorAll('math').length;
    if (!math) say('no formula at all');
    const wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) {
        say('scrolls sideways:', wide, 'in a window of', innerWidth);
        for (const e of document.body.querySelectorAll('*'))
            if (e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, table, math')) {
                say('too wide:', e.tagName, e.innerText.slice(0, 60));
                break;
            }
    }
    document.documentElement.textContent = 'SEEN ' + document.title.length + ' ' + math +
        ' formulas, ' + (wrong.length ? wrong.join('\n') : 'nothing wrong') + ' END';
});
</script>
END
    sed '$d' "$2" | cat - "$work/script" >"$work/page.html"
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --window-size="$1",900 --dump-dom \
        "file://$work/page.html" 2>/dev/null | tr '\n' '\t' |
        sed -n 's/.*SEEN [0-9]* \(.*\) END.*/\1/p' | tr '\t' '\n'
}

page=$build/book/index.html
for width in 390 768 1400; do
    seen=$(look $width "$page")
    case $seen in
    *"nothing wrong"*) ;;
    *)
        echo "book: $width wide: ${seen:-the browser said nothing}" >&2
        failed=$((failed + 1))
        ;;
    esac
done

# The eye sees what it is there to see.
spoilt() { # WORDS SED-EDIT
    sed "$2" "$page" >"$work/spoilt.html"
    look 390 "$work/spoilt.html" | grep -q "$1" && return
    echo "book: not seen: $1" >&2
    failed=$((failed + 1))
}
spoilt 'figure missing' 's|<img src="data:[^"]*"|<img src="data:image/png;base64,AAAA"|'
spoilt 'link to nowhere' 's|href="#l07-symmetric"|href="#l99"|'
spoilt 'from outside' 's|<img src="data:[^"]*"|<img src="http://localhost/x.png"|'
spoilt 'raw TeX' 's|</h1>| $$ x $$</h1>|'
spoilt 'scrolls sideways' 's|</h1>|<br><span style="display:inline-block;width:900px">x</span></h1>|'
echo "book: ${seen%%,*}, looked at through windows of 390, 768 and 1400, $failed faults"
[ $failed -eq 0 ]
