#!/bin/sh
# Makes web/fonts/*.woff2 from the published Schibsted Grotesk (the interface) and the four reading typefaces, all SIL
# OFL 1.1, and prints how local faces are stretched to three of these (typefaces.py).
# Run by hand when a font changes; the results are kept in the repository.
# Needs: npm, and fonttools with brotli (Debian: apt-get install fonttools python3-brotli).
set -eu

out=$(cd "$(dirname "$0")/.." && pwd)/web/fonts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$work"

literata=@fontsource-variable/literata@5.3.0
schibsted=@fontsource-variable/schibsted-grotesk@5.3.0
garamond=@fontsource-variable/eb-garamond@5.3.0
bitter=@fontsource-variable/bitter@5.3.0
atkinson=@fontsource-variable/atkinson-hyperlegible-next@5.3.0
# These have the widths of Georgia, Times, Arial, and of Noto itself.
locals="@fontsource/gelasio@5.3.0 @fontsource/tinos@5.3.0 @fontsource/arimo@5.3.0 @fontsource-variable/noto-serif@5.3.0"
for package in "$literata" "$schibsted" "$garamond" "$bitter" "$atkinson" $locals; do
  tar xzf "$(npm pack --silent "$package")"
  mv package "$(echo "$package" | cut -d/ -f2 | cut -d@ -f1)"
done

# Western European text, and in the `ext` files the rest of Latin Extended-A with Romanian: the browser fetches
# those only for a page that has such a letter. The ranges are those of web/styles/fonts.css.
latin=U+0020-007E,U+00A0-00FF,U+0131,U+0152-0153,U+02C6,U+02DA,U+02DC,U+2010-2015,U+2018-201E,U+2022,U+2026,U+2032-2033,U+2039-203A,U+2044,U+20AC,U+2122,U+2191,U+2193,U+2212
ext=U+0100-0130,U+0132-0151,U+0154-017F,U+0218-021B,U+1E9E,U+2020

# Optical size is pinned to the size of our prose, weight is cut to what the styles use; hinting and the features
# that nothing here asks for are dropped. That halves each file.
make() { # source, characters, axes, result
  fonttools varLib.instancer --quiet -o cut.ttf "$1" $3
  pyftsubset cut.ttf --unicodes="$2" --layout-features=kern,mark,ccmp,locl,liga,tnum,rvrn \
    --no-hinting --drop-tables+=vhea,vmtx,VVAR --name-IDs=0,1,2,13,14 --flavor=woff2 --output-file="$out/$4"
}

# The sans carries more kerning than letters: below 1/128 em nobody sees it at the size of an interface, and it
# need not change with the weight. Its tabular figures widen the full stop and the comma too, which tears dates and
# addresses apart: only the digits stay.
cat >lighten.py <<'PYTHON'
import sys
from fontTools.ttLib import TTFont

font = TTFont(sys.argv[1])
for lookup in font["GPOS"].table.LookupList.Lookup:
    for pairs in lookup.SubTable:
        pairs = getattr(pairs, "ExtSubTable", pairs)
        if pairs.LookupType != 2:
            continue
        rows = [r.Class2Record for r in pairs.Class1Record] if pairs.Format == 2 else [s.PairValueRecord for s in pairs.PairSet]
        for value in (record.Value1 for row in rows for record in row):
            if value is None:
                continue
            value.__dict__.pop("XAdvDevice", None)
            if abs(getattr(value, "XAdvance", 0)) < font["head"].unitsPerEm / 128:
                value.XAdvance = 0
        pairs.ValueFormat1 = 4
for lookup in font["GSUB"].table.LookupList.Lookup:
    for table in lookup.SubTable:
        if lookup.LookupType == 1:
            for name in [n for n in table.mapping if n.split(".")[0] in ("period", "comma", "colon", "semicolon", "space")]:
                del table.mapping[name]
font.save(sys.argv[2])
PYTHON

# The styles use the weights 400 and 600. Italic letters of 600 are files of their own, which few pages need.
faces() { # typeface, package, name of its files, other axes
  for part in latin:"$latin" latin-ext:"$ext"; do
    end=${part%%:*} characters=${part#*:}
    end=${end#latin}
    make $2/files/$2-latin$end-$3-normal.woff2 "$characters" "${4:-} wght=400:700" $1$end.woff2
    make $2/files/$2-latin$end-$3-italic.woff2 "$characters" "${4:-} wght=400" $1-italic$end.woff2
    make $2/files/$2-latin$end-$3-italic.woff2 "$characters" "${4:-} wght=600" $1-bold-italic$end.woff2
  done
}
faces literata literata opsz opsz=18
faces garamond eb-garamond wght
faces bitter bitter wght
faces atkinson atkinson-hyperlegible-next wght
for part in latin latin-ext; do
  /usr/bin/python3 lighten.py schibsted-grotesk/files/schibsted-grotesk-$part-wght-normal.woff2 $part.ttf
done
make latin.ttf "$latin" "wght=400:700" sans.woff2
make latin-ext.ttf "$ext" "wght=400:700" sans-ext.woff2

cp literata/LICENSE "$out/OFL-literata.txt"
cp schibsted-grotesk/LICENSE "$out/OFL-schibsted-grotesk.txt"
for package in eb-garamond bitter atkinson-hyperlegible-next; do cp $package/LICENSE "$out/OFL-$package.txt"; done
/usr/bin/python3 "$out/../../scripts/typefaces.py" "$out/../../scripts/demo/posts"
ls -l "$out"
