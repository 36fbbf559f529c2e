// book.js - what a page of the book does when it may run scripts: code is copied by
// a button, a heading shows its address, a figure is enlarged, and the whole book is searched.
'use strict';

// A console block is copied without what its commands print.
for (const block of document.querySelectorAll('main pre')) {
    const button = document.createElement('button');
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
        const typed = [...block.querySelectorAll('kbd')].map(k => k.textContent.slice(2));
        await navigator.clipboard.writeText(typed.join('\n') || block.textContent);
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    const frame = document.createElement('div');
    frame.className = 'copied';
    (block.closest('div.sourceCode') || block).replaceWith(frame);
    frame.append(block, button);
}

for (const heading of document.querySelectorAll('main h2[id], main h3[id]')) {
    const link = document.createElement('a');
    link.href = '#' + heading.id;
    link.className = 'address';
    link.textContent = '#';
    link.setAttribute('aria-label', 'Address of this section');
    heading.append(' ', link);
}

// A tap on a figure, or its button, shows it as large as the window allows; a tap or Esc
// closes it.
const large = Object.assign(document.createElement('dialog'), {className: 'large', ariaLabel: 'A figure, enlarged'});
large.addEventListener('click', () => large.close());
document.body.append(large);
for (const image of document.querySelectorAll('main figure > img')) {
    const button = Object.assign(document.createElement('button'), {type: 'button', className: 'enlarge', textContent: 'Enlarge'});
    const open = () => {
        large.replaceChildren(image.cloneNode(), Object.assign(document.createElement('button'), {textContent: 'Close'}));
        large.showModal();
    };
    image.addEventListener('click', open);
    button.addEventListener('click', open);
    image.after(button);
}

// On a phone the contents are opened by a button: at the page that is shown, and until a
// link in them is followed.
const contents = document.getElementById('contents');
contents.addEventListener('toggle', () => contents.querySelector('[aria-current]').scrollIntoView({block: 'center'}));
contents.addEventListener('click', e => e.target.closest('a') && contents.hidePopover());

// search.js calls found() with all sections: [page, id, lesson, heading, text].
let sections = null;
const field = Object.assign(document.createElement('input'),
    {type: 'search', placeholder: 'Search', ariaLabel: 'Search the book'});
const results = document.createElement('ul');
document.getElementById('search').append(field, results);

function found(all) {
    sections = all.map(s => ({
        page: s[0], id: s[1], lesson: s[2], heading: s[3], text: s[4],
        low: s[4].toLowerCase(), lowHeading: (s[2] + ' ' + s[3]).toLowerCase()}));
    search();
}

// The sections that have all words, those that have them in their headings first.
function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(w => w);
    results.replaceChildren();
    if (!sections || !words.length)
        return;
    const points = s => words.reduce((sum, w) => sum < 0 ? sum :
        s.lowHeading.includes(w) ? sum + 10 :
        s.low.includes(w) ? sum + 1 : -1, 0);
    const best = sections.map(s => [points(s), s]).filter(p => p[0] > 0)
        .sort((a, b) => b[0] - a[0]).slice(0, 12);
    for (const [, s] of best) {
        const item = document.createElement('li'), link = document.createElement('a');
        const at = Math.max(0, s.low.indexOf(words[0]) - 30);
        link.href = s.page + '.html' + (s.id ? '#' + s.id : '');
        link.textContent = s.lesson + (s.heading ? ' · ' + s.heading : '');
        item.append(link, document.createElement('br'), (at ? '…' : '') +
            s.text.slice(at, at + 90) + '…');
        results.append(item);
    }
    if (!best.length)
        results.append(Object.assign(document.createElement('li'),
            {textContent: 'No section has all these words.'}));
}

field.addEventListener('input', search);
field.addEventListener('focus', () => {
    if (sections || document.querySelector('script[src="search.js"]'))
        return;
    document.head.append(Object.assign(document.createElement('script'), {src: 'search.js'}));
});
addEventListener('keydown', e => {
    if (e.key === '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
        e.preventDefault();
        if (!field.checkVisibility())
            contents.showPopover();
        field.focus();
    }
});
