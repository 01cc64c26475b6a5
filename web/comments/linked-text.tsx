export type Piece = { text: string; href?: string };

const address = /https?:\/\/[^\s<>"'`]+/giu;

/** Plain text cut into words and the addresses in it. Punctuation that ends a sentence is not part of an address. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(address)) {
    const href = withoutPunctuation(match[0]);
    if (!URL.canParse(href)) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: href, href });
    end = match.index + href.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** From the end, character by character: each is looked at once, however many there are. */
function withoutPunctuation(found: string): string {
  let unopened = found.split(')').length - found.split('(').length;
  let end = found.length;
  for (; end > 0; end -= 1) {
    const last = found[end - 1] ?? '';
    // A bracket belongs to the address when it was opened there.
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!'.,:;!?…*_~]}'.includes(last)) break;
  }
  return found.slice(0, end);
}

/** What a member wrote: line breaks kept by the style, addresses made links, nothing else read into it. */
export function LinkedText({ text }: { text: string }) {
  return piecesOf(text).map((piece, index) =>
    piece.href === undefined ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have an order and no other identity
      <a key={index} href={piece.href} rel="noopener noreferrer nofollow ugc">
        {piece.text}
      </a>
    ),
  );
}
