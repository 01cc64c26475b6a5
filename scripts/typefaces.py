"""Measures the local faces of web/styles/typefaces.ts, except Literata's, which were measured in a browser.

Prints the numbers of its table: a local face is stretched to the widths and heights of the downloaded one,
so that nothing moves when that arrives.
Run by fonts.sh, in the folder of the unpacked packages.
"""

import glob
import sys
from collections import Counter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

# A long English text: what the demonstration has to read.
text = "".join(open(path).read() for path in sorted(glob.glob(f"{sys.argv[1]}/*.md")))
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
    "Georgia": "gelasio/files/gelasio-latin-{weight}-{style}.woff2",
    "Times": "tinos/files/tinos-latin-{weight}-{style}.woff2",
    "Noto": "noto-serif/files/noto-serif-latin-standard-{style}.woff2",
}
sans = {"Arial": "arimo/files/arimo-latin-{weight}-{style}.woff2"}

# The size makes the small letters about as high as those of Literata.
typefaces = {
    "garamond": ("eb-garamond/files/eb-garamond-latin-wght-{style}.woff2", serif, 118),
    "bitter": ("bitter/files/bitter-latin-wght-{style}.woff2", serif, 95),
    "atkinson": ("atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-{style}.woff2", sans, 102),
}
looks = [("normal", 400), ("italic", 400), ("normal", 700)]


for name, (source, locals_, size) in typefaces.items():
    ascent, descent = (height * size for height in heights(load(source.format(style="normal"))))
    print(f"{name}: ascent {ascent:.2f}, descent {descent:.2f}")
    for local, path in locals_.items():
        sizes = []
        for style, weight in looks:
            ours = load(source.format(style=style), 600 if weight == 700 else 400)
            theirs = load(path.format(style=style, weight=weight), weight)
            sizes.append(f"{width(ours) * size / width(theirs):.1f}")
        print(f"  {local}: [{', '.join(sizes)}]")
