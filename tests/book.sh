#!/bin/sh
# book.sh BUILD - the book and its diagrams, looked at by a browser: no figure is missing, every
# link leads somewhere, nothing comes from the network, no formula is left as TeX or broken, a phone
# need not be scrolled sideways nor cut a command, and the search finds; no word of a diagram
# is outside it, over another word, or wider than its box, in a wide font and in a narrow
# one. Nothing else sees a page. Skipped, and says so, without pandoc or chromium.

build=$1
. tests/lib.sh
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
companion pandoc "the book" || { finish; exit; }
[ "$browser" ] || { skip "the book: no chromium here"; finish; exit; }
# browse PAGE: what the page says of itself when it is shown, one fault a line.
browse() {
    "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --allow-file-access-from-files --virtual-time-budget=60000 \
        --user-data-dir="$work/profile" --window-size=1600,1000 --dump-dom "file://$1" 2>/dev/null |
        tr '\n' '\t' | sed -n 's/.*SEEN \(.*\) END.*/\1/p' | tr '\t' '\n'
}
# faultless WHAT: so is what was seen; sees WORDS: it has that fault.
faultless() {
    [ "$(cat seen)" = "nothing wrong" ] && ok || complain "$1: $(head -n 20 seen)"
}
sees() { expect "not seen: $1" grep -qF -- "$1" seen; }

# --- the book
cp -r "$build/book" "$work"
book=$work/book
# look WIDTH PAGE ...: what is wrong with the pages, each seen through a window so wide.
look() {
    width=$1
    shift
    {
        echo '<!DOCTYPE html><title>book</title>'
        for page; do
            echo "<iframe src='$page' width=$width height=900></iframe>"
        done
        cat <<'END'
<script>
const wrong = [], ids = {};
let formulas = 0;
function look(name, view) {
    const doc = view.document, code = doc.querySelectorAll('pre, code, button');
    const say = (...words) => wrong.push(name + ': ' + words.join(' '));
    for (const e of code) e.style.display = 'none'; // where TeX is shown as such
    const seen = doc.body.innerText;
    if (seen.includes('\uFFFD')) say('characters that were not read as UTF-8');
    for (const e of code) e.style.display = '';
    for (const i of doc.images)
        if (!i.naturalWidth) say('figure missing:', i.alt || i.src.slice(0, 60));
        else if (!i.alt) say('no words for a figure:', i.src.slice(-60));
    for (const a of doc.links) {
        const [page, id] = a.getAttribute('href').split('#');
        if (/:/.test(page)) say('link out of the book:', page);
        else if (!(ids[page || name] && (!id || ids[page || name].has(decodeURIComponent(id)))))
            say('link to nowhere:', a.getAttribute('href'));
    }
    for (const e of doc.querySelectorAll('[src], link[href]')) {
        const from = e.getAttribute('src') || e.getAttribute('href');
        if (/^(?!data:)[a-z]+:|^\/\//.test(from)) say('from outside:', from.slice(0, 60));
    }
    for (const tex of seen.match(/\$\$|\\[a-z]+\{|\\(frac|sum|sqrt|qquad)/g) || [])
        say('raw TeX:', tex);
    formulas += doc.querySelectorAll('math').length;
    for (const k of doc.querySelectorAll('kbd'))
        if (k.getBoundingClientRect().right > view.innerWidth) say('command cut:', k.textContent);
    for (const m of doc.querySelectorAll('math + math')) {
        const before = m.previousElementSibling.getBoundingClientRect();
        if (/^[\s'=]*$/.test(m.previousSibling.data ?? '') && m.getBoundingClientRect().top > before.bottom)
            say('formula broken:', m.parentElement.textContent.slice(0, 60));
    }
    const wide = doc.documentElement.scrollWidth;
    if (wide > view.innerWidth) {
        say('scrolls sideways:', wide, 'in a window of', view.innerWidth);
        for (const e of doc.body.querySelectorAll('*'))
            if (e.getBoundingClientRect().right > view.innerWidth + 1 && !e.closest('pre, table, math')) {
                say('too wide:', e.tagName, e.textContent.slice(0, 60));
                break;
            }
    }
}
function find(view) { // the search: a word of a heading, and one that is nowhere
    const field = view.document.querySelector('#search input');
    const says = word => {
        field.value = word;
        field.dispatchEvent(new view.Event('input'));
        return view.document.querySelector('#search ul').textContent;
    };
    if (!says('symmetric softmax').includes('08')) wrong.push('the search does not find');
    if (!says('xyzzy').includes('No section')) wrong.push('the search finds what is nowhere');
}
addEventListener('load', () => {
    const frames = [...document.querySelectorAll('iframe')];
    for (const f of frames)
        ids[f.getAttribute('src')] = new Set([...f.contentDocument.querySelectorAll('[id]')].map(e => e.id));
    for (const f of frames) look(f.getAttribute('src'), f.contentWindow);
    if (!formulas) wrong.push('no formula at all');
    const first = frames[0].contentWindow, script = first.document.createElement('script');
    const tell = () => {
        document.documentElement.textContent = 'SEEN ' + (wrong.join('\n') || 'nothing wrong') + ' END';
    };
    script.onload = () => { find(first); tell(); };
    script.onerror = () => { wrong.push('no search.js'); tell(); };
    script.src = 'search.js';
    first.document.head.append(script);
});
</script>
END
    } >"$book/looked-at.html"
    browse "$book/looked-at.html"
}
pages="index.html $(cd "$book" && ls ./*.html | sed 's|^\./||' | grep -v '^looked-at\|^index' | sort)"
for width in 390 768 1400; do
    look $width $pages >seen
    faultless "$width wide"
done
# The eye sees what it is there to see, in a page that is spoilt in each way.
bare='<span style="white-space:pre;display:inline-block'
sed -e '0,/<img/s|<img src="[^"]*"|<img src="none.svg"|' \
    -e "s|</h1>|</h1><img src='figures/diagrams/merge.svg'>|" \
    -e "s|</h1>|</h1><img src='http://localhost/x.png' alt='x'>|" \
    -e 's|</h1>|</h1><a href="index.html#nowhere">x</a> <a href="99-none.html">x</a>|' \
    -e 's|</h1>|</h1><a href="https://localhost/">x</a> $$ x $$|' \
    -e 's|</h1>|</h1><p style="width:9px"><math><mi>M</mi></math> = <math><mi>W</mi></math></p>|' \
    -e "s|</h1>|</h1>$bare;width:900px\">x</span>|" \
    -e "s|</h1>|</h1>$bare\"><kbd style='white-space:pre'>$ qkv xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx</kbd></span>|" \
    "$book/08-symmetric.html" >"$book/spoilt.html"
look 390 spoilt.html $pages >seen
for words in 'figure missing' 'no words for a figure' 'link to nowhere: index.html#nowhere' \
    'link to nowhere: 99-none.html' 'formula broken' 'link out of the book' 'from outside' 'raw TeX' 'command cut' \
    'scrolls sideways'; do
    sees "spoilt.html: $words"
done

# --- the diagrams
# draw FONT SVG ...: what is wrong with the diagrams.
draw() {
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
    } >page.html
    browse "$work/page.html"
}
for font in "DejaVu Sans" "Liberation Sans"; do
    draw "$font" "$top"/lessons/figures/diagrams/*.svg >seen
    faultless "$font"
done
sed -e 's|</svg>|<text x="630" y="20">far too long</text>&|' \
    -e 's|</svg>|<text x="60" y="300">one</text><text x="62" y="302">another</text>&|' \
    -e 's|</svg>|<rect class="o" x="300" y="250" width="20" height="20"/><text x="310" y="264">too wide</text>&|' \
    "$top"/lessons/figures/diagrams/head.svg >spoilt.svg
draw "DejaVu Sans" spoilt.svg >seen
for words in 'outside: far too long' 'over another: one | another' 'wider than its box: too wide'; do
    sees "spoilt.svg: $words"
done

finish
