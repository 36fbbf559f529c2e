#!/bin/sh
# deps.sh TOOL ... - installs the tools that are missing, with whatever package
# manager the system has; where it cannot, says the one command to type.

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
    acorn) NODE_PATH=/usr/share/nodejs node -e 'require("acorn")' 2>/dev/null ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# package TOOL: its package's name under the manager at hand.
package() {
    case $manager:$1 in
    apt-get:gcc) echo gcc libc6-dev ;;
    apt-get:gnuplot) echo gnuplot-nox ;;
    *:emcc) echo emscripten ;;
    apt-get:node | dnf:node | pacman:node) echo nodejs ;;
    apt-get:acorn) echo node-acorn ;;
    dnf:check) echo check-devel ;;
    dnf:pkg-config) echo pkgconf-pkg-config ;;
    pacman:pkg-config | brew:pkg-config) echo pkgconf ;;
    *) echo "$1" ;;
    esac
}

manager=
for candidate in apt-get dnf pacman brew; do
    if command -v $candidate >/dev/null 2>&1; then
        manager=$candidate
        break
    fi
done

missing= packages=
for tool in "$@"; do
    present "$tool" && continue
    missing="$missing $tool"
    packages="$packages $(package "$tool")"
done
[ -n "$missing" ] || exit 0

case $manager in
apt-get) install="apt-get install -y --no-install-recommends$packages" ;;
dnf) install="dnf install -y$packages" ;;
pacman) install="pacman -S --noconfirm$packages" ;;
brew) install="brew install$packages" ;;
*)
    echo "qkv: missing:$missing; no package manager of apt-get, dnf," \
        "pacman, brew was found: install them by hand" >&2
    exit 1
    ;;
esac
sudo=
if [ "$manager" != brew ] && [ "$(id -u)" != 0 ]; then
    sudo=sudo
    if ! command -v sudo >/dev/null 2>&1; then
        echo "qkv: missing:$missing; as root, type: $install" >&2
        exit 1
    fi
fi
echo "installing:$packages"
if [ "$manager" = apt-get ]; then
    # A fresh machine has no list of packages yet.
    apt-cache show $packages >/dev/null 2>&1 || $sudo apt-get update -qq
    install="env DEBIAN_FRONTEND=noninteractive $install"
fi
$sudo $install >/dev/null || {
    echo "qkv: that failed; type: $sudo $install" >&2
    exit 1
}
