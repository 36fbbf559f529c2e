#!/bin/sh
# wheel.sh ROOT VERSION OUT - makes a Python wheel, in OUT, of the program installed in ROOT.
#
# A wheel is a zip file. pip installs its folder NAME.data/scripts into bin, and NAME.data/data
# into the folder above bin, so the program finds its variants and scripts as it does after
# `make install`. The wheel contains no Python. Making it takes the tools that build the
# program (objdump comes with the linker), and zip or python3.

set -eu
root=$1 version=$2
out=$(cd "$3" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=$work/qkv-$version.data
info=$work/qkv-$version.dist-info
mkdir "$data" "$info"
cp -R "$root" "$data/data"
mv "$data/data/bin" "$data/scripts"
# The install path is not known yet, so the prefix is relative to this file.
sed 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$root/lib/pkgconfig/qkv.pc" >"$data/data/lib/pkgconfig/qkv.pc"

# The wheel works on systems whose C library has the newest symbol version that a file
# needs.
newest=$(find "$data/scripts" "$data/data/lib" -type f ! -name '*.pc' -exec objdump -T {} + |
    sed -n 's/.*[( ]GLIBC_2\.\([0-9]*\).*/\1/p' | sort -n | tail -n 1)
[ "$newest" ] || {
    echo "wheel: $root has no programs for glibc: build it on Linux with glibc, with binutils' objdump" >&2
    exit 1
}
tag=py3-none-manylinux_2_${newest}_x86_64

cat >"$info/WHEEL" <<END
Wheel-Version: 1.0
Generator: qkv $version
Root-Is-Purelib: false
Tag: $tag
END
cat >"$info/METADATA" <<END
Metadata-Version: 2.1
Name: qkv
Version: $version
Summary: Which of the matrices in attention are really there?
License: MIT
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Description-Content-Type: text/markdown

The commands \`qkv\` and \`qkv-double\`, a teaching codebase in C about attention, for a
processor with AVX2 (x86-64-v3). \`qkv help\` lists what they do; \`man qkv\` has the rest, and
says where the lessons are. gnuplot draws the figures. A variant of your own in C needs a C
compiler; one that is an equation does not.
END
cp LICENSE "$info/LICENSE"

# RECORD has each file's SHA-256, in base64 for URLs without padding, and its size.
cd "$work"
{
    find . -type f ! -name RECORD | LC_ALL=C sort | sed 's|^\./||' | while read -r file; do
        sha256sum "$file" | awk -v size="$(wc -c <"$file")" '
        # Three hexadecimal digits are two letters; the last digit is one.
        function letter(n) { return substr(letters, n + 1, 1) }
        {
            letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            for (i = 1; i < 64; i += 3) {
                n = 0
                for (k = i; k < i + 3; k++)
                    n = 16 * n + index("0123456789abcdef", substr($1, k, 1)) - 1
                text = text letter(int(n / 64)) letter(n % 64)
            }
            text = text letter(4 * (index("0123456789abcdef", substr($1, 64)) - 1))
            sub(/^[^ ]*  /, "")
            printf "%s,sha256=%s,%d\n", $0, text, size
        }'
    done
    echo "qkv-$version.dist-info/RECORD,,"
} >"$info/RECORD"

# The same files make the same wheel: all times are set to 1980, when the zip format begins.
wheel=$out/qkv-$version-$tag.whl
export TZ=UTC
find . -exec touch -d 1980-01-01T00:00:00 {} +
rm -f "$out"/qkv-*.whl
if command -v zip >/dev/null; then
    find . -type f | LC_ALL=C sort | zip -q -X -@ "$wheel"
else
    python3 -m zipfile -c "$wheel" "qkv-$version.data" "qkv-$version.dist-info"
fi
echo "$wheel"
