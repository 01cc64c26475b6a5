"""Writes web/styles/typefaces/*.css, except Literata's, which was measured in a browser.

Each file has the faces of one reading typeface. It also has local faces that are stretched to the same
widths and heights, so that nothing moves when the downloaded face arrives.
Run by fonts.sh, in the folder of the unpacked packages.
"""

import glob
import sys
from collections import Counter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

out = sys.argv[1]
latin = "U+0020-007E, U+00A0-00FF, U+0131, U+0152-0153, U+02C6, U+02DA, U+02DC, U+2010-2015, U+2018-201E, U+2022, U+2026, U+2032-2033, U+2039-203A, U+2044, U+20AC, U+2122, U+2191, U+2193, U+2212"
ext = "U+0100-0130, U+0132-0151, U+0154-017F, U+0218-021B, U+1E9E, U+2020"
# A long English text: what the demonstration has to read.
text = "".join(open(path).read() for path in sorted(glob.glob(f"{sys.argv[2]}/*.md")))
shares = {letter: count for letter, count in Counter(text).items() if letter.isalpha() or letter in " ,.’'-“”"}


def load(path, weight=None, **axes):
    font = TTFont(path)
    if "fvar" in font:
        known = {axis.axisTag for axis in font["fvar"].axes}
        wanted = {"wght": weight or 400, "wdth": 100, "opsz": 18, **axes}
        font = instantiateVariableFont(font, {tag: value for tag, value in wanted.items() if tag in known})
    return font


def width(font):
    names, metrics = font.getBestCmap(), font["hmtx"]
    return sum(metrics[names[ord(letter)]][0] * share for letter, share in shares.items() if ord(letter) in names) / font["head"].unitsPerEm


def heights(font):
    hhea, em = font["hhea"], font["head"].unitsPerEm
    return hhea.ascent / em, -hhea.descent / em


# For each kind of letters the local families, by packages that have their widths.
serif = {
    "Georgia": ("Georgia{}", "Gelasio{}", "gelasio/files/gelasio-latin-{weight}-{style}.woff2"),
    "Times": ("Times New Roman{}", "Liberation Serif{}", "tinos/files/tinos-latin-{weight}-{style}.woff2"),
    "Noto": ("Noto Serif{}", None, "noto-serif/files/noto-serif-latin-standard-{style}.woff2"),
}
sans = {"Arial": ("Arial{}", "Liberation Sans{}", "arimo/files/arimo-latin-{weight}-{style}.woff2")}

# The size makes the small letters about as high as those of Literata.
typefaces = {
    "garamond": ("EB Garamond", "eb-garamond/files/eb-garamond-latin-wght-{style}.woff2", serif, 118, "georgia, serif"),
    "bitter": ("Bitter", "bitter/files/bitter-latin-wght-{style}.woff2", serif, 95, "georgia, serif"),
    "atkinson": (
        "Atkinson Hyperlegible",
        "atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-{style}.woff2",
        sans,
        102,
        "system-ui, sans-serif",
    ),
}
looks = [("normal", 400, ""), ("italic", 400, " Italic"), ("normal", 700, " Bold")]


def face(lines):
    return "@font-face {\n" + "".join(f"  {line};\n" for line in lines) + "}\n"


for name, (family, source, locals_, size, generic) in typefaces.items():
    short = family.split(" ")[-1] if name == "garamond" else family.split(" ")[0]
    rules = ["/* Made by scripts/typefaces.py. The `ext` files are fetched only by a page that holds such a letter. */\n"]
    sized = [f"size-adjust: {size}%"] if size != 100 else []
    for part, characters in (("", latin), ("-ext", ext)):
        for end, weights in (("", "400 700"), ("-italic", "400"), ("-bold-italic", "600 700")):
            rules.append(face([
                f"font-family: '{family}'",
                *(["font-style: italic"] if end else []),
                f"font-weight: {weights}",
                f"src: url('../../fonts/{name}{end}{part}.woff2') format('woff2')",
                "font-display: swap",
                *sized,
                f"unicode-range: {characters}",
            ]))
    for local, (first, second, path) in locals_.items():
        for style, weight, suffix in looks:
            ours = load(source.format(style=style), 600 if weight == 700 else 400)
            theirs = load(path.format(style=style, weight=weight), weight)
            ratio = width(ours) * size / width(theirs)
            ascent, descent = (height * size / ratio * 100 for height in heights(ours))
            names = [f"local('{each.format(suffix)}')" for each in (first, second) if each]
            rules.append(face([
                f"font-family: '{short} {local}'",
                *([f"font-style: {style}"] if style == "italic" else []),
                *(["font-weight: 600 700"] if weight == 700 else []),
                f"src: {', '.join(names)}",
                f"size-adjust: {ratio:.1f}%",
                f"ascent-override: {ascent:.2f}%",
                f"descent-override: {descent:.2f}%",
                "line-gap-override: 0%",
            ]))
    stack = ", ".join([f"'{family}'", *(f"'{short} {local}'" for local in locals_), generic])
    rules.append(f":root {{\n  --serif: {stack};\n}}\n")
    with open(f"{out}/{name}.css", "w") as file:
        file.write("\n".join(rules))
