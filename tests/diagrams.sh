#!/bin/sh
# diagrams.sh - the diagrams, looked at by a browser: no word is outside its diagram, over
# another word, or wider than its box, in a wide font and in a narrow one. Skipped, and
# says so, without chromium.

set -u
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ "$browser" ] || {
    echo "diagrams: skipped: it needs chromium (make deps-all)"
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# look FONT SVG ...: what is wrong with the diagrams, one fault a line.
look() {
    font=$1
    shift
    {
        echo '<meta charset="utf-8">'
        for svg; do
            echo "<div id='$(basename "$svg")'>"
            sed "s/font-family=\"sans-serif\"/font-family=\"$font\"/" "$svg"
            echo '</div>'
        done
        cat <<'END'
<script>
const wrong = [];
for (const div of document.querySelectorAll('div')) {
    const svg = div.querySelector('svg'), size = svg.viewBox.baseVal;
    const all = what => [...svg.querySelectorAll(what)].map(e => {
        const b = e.getBBox();
        return {x: b.x, y: b.y, right: b.x + b.width, foot: b.y + b.height, words: e.textContent};
    });
    const texts = all('text'), boxes = all('rect.o');
    const say = (...words) => wrong.push(div.id + ': ' + words.join(' '));
    for (const [i, a] of texts.entries()) {
        if (a.x < 1 || a.right > size.width - 1 || a.foot > size.height + 1)
            say('outside:', a.words);
        for (const b of texts.slice(i + 1)) {
            const wide = Math.min(a.right, b.right) - Math.max(a.x, b.x);
            const high = Math.min(a.foot, b.foot) - Math.max(a.y, b.y);
            if (wide > 2 && high > 5 && a.words != b.words) say('over another:', a.words, '|', b.words);
        }
        for (const b of boxes) {
            const beside = Math.abs(a.x + a.right - b.x - b.right) / 2;
            const below = Math.abs(a.y + a.foot - b.y - b.foot) / 2;
            if (beside < 3 && below < 4 && a.right - a.x > b.right - b.x - 2)
                say('wider than its box:', a.words);
        }
    }
}
document.documentElement.textContent = 'SEEN ' + (wrong.join('\n') || 'nothing wrong') + ' END';
</script>
END
    } >"$work/page.html"
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --dump-dom "file://$work/page.html" 2>/dev/null |
        tr '\n' '\t' | sed -n 's/.*SEEN \(.*\) END.*/\1/p' | tr '\t' '\n'
}

for font in "DejaVu Sans" "Liberation Sans"; do
    seen=$(look "$font" lessons/figures/diagrams/*.svg)
    [ "$seen" = "nothing wrong" ] && continue
    printf 'diagrams: %s: %s\n' "$font" "${seen:-the browser said nothing}" >&2
    failed=$((failed + 1))
done

# The eye sees what it is there to see, in a diagram that is spoilt in each way.
sed -e 's|</svg>|<text x="630" y="20">far too long</text>&|' \
    -e 's|</svg>|<text x="60" y="300">one</text><text x="62" y="302">another</text>&|' \
    -e 's|</svg>|<rect class="o" x="300" y="250" width="20" height="20"/><text x="310" y="264">too wide</text>&|' \
    lessons/figures/diagrams/head.svg >"$work/spoilt.svg"
look "DejaVu Sans" "$work/spoilt.svg" >"$work/seen"
for words in 'outside: far too long' 'over another: one | another' 'wider than its box: too wide'; do
    grep -qF "spoilt.svg: $words" "$work/seen" && continue
    echo "diagrams: not seen: $words" >&2
    failed=$((failed + 1))
done
echo "diagrams: $(ls lessons/figures/diagrams/*.svg | wc -l) looked at, $failed faults"
[ $failed -eq 0 ]
