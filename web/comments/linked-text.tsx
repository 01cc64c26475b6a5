import { BreakableText } from '../ui/breakable-text.tsx';

export type Piece = { text: string; href?: string };

const address = /https?:\/\/[^\s<>"'`]+/giu;

/**
 * Plain text cut into words and the addresses in it. Punctuation that ends a sentence is not part of an
 * address.
 */
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

/** Removes punctuation from the end of an address, examining each character once, however many there are. */
function withoutPunctuation(found: string): string {
  let unopened = found.split(')').length - found.split('(').length;
  let end = found.length;
  for (; end > 0; end -= 1) {
    const last = found[end - 1] ?? '';
    // A closing bracket belongs to the address if the opening one does.
    if (last === ')' && unopened > 0) unopened -= 1;
    else if (!'.,:;!?…*_~]}'.includes(last)) break;
  }
  return found.slice(0, end);
}

/**
 * Plain text of a member: the style keeps line breaks, addresses become links, and nothing else is
 * interpreted.
 */
export function LinkedText({ text }: { text: string }) {
  return piecesOf(text).map((piece, index) =>
    piece.href === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have an order and no other identity
      <BreakableText key={index} text={piece.text} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have an order and no other identity
      <a key={index} href={piece.href} rel="noopener noreferrer nofollow ugc">
        <BreakableText text={piece.text} />
      </a>
    ),
  );
}
