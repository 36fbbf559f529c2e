// matrix.js - a matrix as the page shows it: a table with its name above, its shape
// below and a colour for what it is, as in plots/diagrams/pen.awk.

// element('p', {className: 'x'}, 'words', child, ...)
export function element(tag, properties = {}, ...children) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
}

// W_i^Q with its letters raised and lowered, as one element, so that a label which lays out its
// children keeps them together.
export function symbols(name) {
    const made = element('span');
    for (const part of name.split(/(\^-?\w+'?|_\w+)/))
        made.append(/^[_^]/.test(part)
            ? element(part[0] === '^' ? 'sup' : 'sub', {}, part.slice(1).replace('-', '−')) : part);
    return made;
}

// -0.5 as −.50.
export function digits(value, places = 0) {
    return value.toFixed(places).replace(/^(-?)0\./, '$1.').replace(/^-(?=[.0]*$)/, '').replace('-', '−');
}

// Whole numbers are shown as such; `rows` is an array of rows; `colour` one of qk ov bend no.
export function matrix(name, rows, {colour = 'no'} = {}) {
    const places = rows.flat().every(Number.isInteger) ? 0 : 2;
    const shape = rows.length + ' × ' + rows[0].length;
    const table = element('table', {className: 'matrix ' + colour, ariaLabel: name + ', ' + shape});
    for (const row of rows)
        table.append(element('tr', {}, ...row.map(v => element('td', {}, digits(v, places)))));
    return element('div', {className: 'named'}, element('span', {}, symbols(name)), table,
        element('small', {ariaHidden: true}, shape));
}
