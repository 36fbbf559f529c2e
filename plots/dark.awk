# dark.awk - an SVG for a dark page (make diagrams). Each colour becomes what book.css makes
# of it on a dark page: it is inverted, to nine tenths, and then its hue is turned by half a
# circle, so that blue stays blue. README has such a picture beside each light one.

function digit(c) { return index("0123456789abcdef", tolower(c)) - 1 }
function two_digits(x) {
    x = x < 0 ? 0 : x > 1 ? 1 : x
    return sprintf("%02X", int(255 * x + 0.5))
}
# The amount of red, green or blue (part 1, 2, 3) after the inversion, from 0 to 1.
function inverted(hex, part) {
    if (length(hex) == 3)
        return 0.9 - 0.8 * digit(substr(hex, part, 1)) / 15
    return 0.9 - 0.8 * (16 * digit(substr(hex, 2 * part - 1, 1)) + digit(substr(hex, 2 * part, 1))) / 255
}
# The colour on a dark page. The matrix is that of CSS's hue-rotate(180deg).
function dark(hex,    r, g, b) {
    r = inverted(hex, 1)
    g = inverted(hex, 2)
    b = inverted(hex, 3)
    return "#" two_digits(-0.574 * r + 1.43 * g + 0.144 * b) \
        two_digits(0.426 * r + 0.43 * g + 0.144 * b) two_digits(0.426 * r + 1.43 * g - 0.856 * b)
}
# Words are black unless they have another colour.
{ sub(/<svg /, "<svg fill=\"#000\" ") }
{
    done = ""
    while (match($0, /#[0-9A-Fa-f]+/)) {
        done = done substr($0, 1, RSTART - 1) dark(substr($0, RSTART + 1, RLENGTH - 1))
        $0 = substr($0, RSTART + RLENGTH)
    }
    print done $0
}
