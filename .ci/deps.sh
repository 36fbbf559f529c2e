#!/bin/sh
# deps.sh [--list] TOOL ... - installs the tools that are missing, with the package manager
# that the system has; where it cannot, says the one command to type. --list prints the
# packages of all of them instead.

set -eu
try=$(mktemp)
trap 'rm -f "$try"' EXIT

# builds HEADER FLAGS: a program that includes it, of which a compiler alone may
# be there without the headers or the libraries.
builds() {
    header=$1
    shift
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" |
        gcc -x c - "$@" -o "$try" 2>/dev/null
}

# present TOOL: is it there already, and fit for use?
present() {
    case $1 in
    gcc) builds stdio.h -lm ;;
    check) flags=$(pkg-config --cflags --libs check 2>/dev/null) && builds check.h $flags ;;
    gnuplot) gnuplot -e 'set terminal svg; set terminal pngcairo' >/dev/null 2>&1 ;;
    locales) [ -e /usr/share/i18n/locales/de_DE ] ;;
    acorn) NODE_PATH=/usr/share/nodejs node -e 'require("acorn")' 2>/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# package TOOL: its package's name under the manager at hand.
package() {
    case $manager:$1 in
    apt-get:gcc) echo gcc libc6-dev ;;
    apt-get:gnuplot) echo gnuplot-nox ;;
    apt-get:acorn) echo node-acorn ;;
    apt-get:pdflatex) echo texlive-latex-recommended lmodern ;;
    dnf:pdflatex) echo texlive-collection-latexrecommended texlive-lm ;;
    pacman:pdflatex) echo texlive-latexrecommended ;;
    brew:pdflatex) echo basictex ;;
    dnf:check) echo check-devel ;;
    dnf:pkg-config) echo pkgconf-pkg-config ;;
    pacman:pkg-config | brew:pkg-config) echo pkgconf ;;
    apt-get:node | dnf:node | pacman:node) echo nodejs ;;
    *:emcc) echo emscripten ;;
    *:bwrap) echo bubblewrap ;;
    *) echo "$1" ;;
    esac
}

manager=$(for name in apt-get dnf pacman brew; do command -v $name >/dev/null && echo $name; done | head -n 1)
if [ "$1" = --list ]; then
    shift
    for tool; do package "$tool"; done
    exit
fi
packages=
for tool in "$@"; do
    present "$tool" || packages="$packages $(package "$tool")"
done
[ -n "$packages" ] || exit 0

sudo=
[ "$manager" = brew ] || [ "$(id -u)" = 0 ] || sudo=sudo
case $manager in
apt-get) install="$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$packages" ;;
pacman) install="$sudo pacman -S --noconfirm$packages" ;;
dnf) install="$sudo dnf install -y$packages" ;;
brew) install="brew install$packages" ;;
*) install= ;;
esac
echo "installing:$packages"
# A fresh machine has no list of packages yet.
[ "$manager" != apt-get ] || apt-cache show $packages >/dev/null 2>&1 || $sudo apt-get update -qq || true
[ "$install" ] && $install >/dev/null || {
    echo "qkv: that failed; install by hand:$packages${install:+, or as root: ${install#sudo }}" >&2
    exit 1
}
