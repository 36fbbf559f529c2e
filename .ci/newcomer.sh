#!/bin/sh
# newcomer.sh FOLDER - links, in FOLDER, to the programs of a newcomer's machine: a minimal
# Debian, git and make, and what `make deps` installs. With FOLDER as PATH nothing else is
# found, whatever else is installed here. dpkg knows which package brings what.

set -eu
folder=$1
list=$(mktemp -d)
trap 'rm -rf "$list"' EXIT

# The packages: those that every Debian has, the newcomer's two, those of `make deps`, and
# of what they depend on the first one of each choice that is installed.
packages="git make $(make -s deps ONLY=--list | tr '\n' ' ')"
dpkg-query -W -f '${db:Status-Status}\t${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n' |
    awk -F '\t' -v packages="$packages" '
    $1 != "installed" { next }
    {
        needs[$2] = $5
        provider[$2] = $2
        count = split($6, provided, /, */)
        for (i = 1; i <= count; i++) {
            sub(/ .*/, "", provided[i])
            if (!(provided[i] in provider))
                provider[provided[i]] = $2
        }
    }
    $3 == "yes" || $4 == "required" { wanted[++last] = $2 }
    function first_installed(choice,    names, count, i) {
        count = split(choice, names, / *\| */)
        for (i = 1; i <= count; i++) {
            sub(/[ :(].*/, "", names[i])
            if (names[i] in provider)
                return provider[names[i]]
        }
        return ""
    }
    END {
        count = split(packages, more, " ")
        for (i = 1; i <= count; i++)
            wanted[++last] = more[i]
        for (at = 1; at <= last; at++) {
            if (wanted[at] in seen || wanted[at] == "")
                continue
            seen[wanted[at]] = 1
            print wanted[at]
            count = split(needs[wanted[at]], choices, /, */)
            for (i = 1; i <= count; i++)
                wanted[++last] = first_installed(choices[i])
        }
    }' >"$list/packages"

# Their programs, and what "awk" or "cc" means if only they are there.
xargs dpkg-query -L <"$list/packages" | grep -E '^(/usr)?/s?bin/[^/]+$' | sort -u >"$list/programs"
mkdir -p "$folder"
xargs ln -sf -t "$folder" <"$list/programs"
update-alternatives --get-selections | cut -d ' ' -f 1 | while read -r name; do
    target=$(update-alternatives --query "$name" | sed -n 's/^Alternative: //p' |
        grep -Fx -m 1 -f "$list/programs") || continue
    ln -sf "$target" "$folder/$name"
done
# It is there, but its package has no locales.
rm -f "$folder/localedef"
