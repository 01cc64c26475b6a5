import { diffArrays, diffWordsWithSpace } from 'diff';

/** A part of one of two versions of a text: so many paragraphs that both have, or words that differ. */
export type Piece = { same: number } | { words: readonly { text: string; isOwn: boolean }[] };

/** How long words of changed paragraphs may be compared, in milliseconds; otherwise they are shown whole. */
const mostMs = 300;

/** What each of two versions of a text has that the other has not, paragraph by paragraph. */
export function differences(mine: string, theirs: string): { mine: Piece[]; theirs: Piece[] } {
  const pieces: { mine: Piece[]; theirs: Piece[] } = { mine: [], theirs: [] };
  let removed: string[] = [];
  let added: string[] = [];
  const tell = () => {
    if (removed.length + added.length === 0) return;
    const [before, after] = [removed.join('\n\n'), added.join('\n\n')];
    const words = diffWordsWithSpace(before, after, { timeout: mostMs }) ?? [
      { value: before, removed: true, added: false },
      { value: after, removed: false, added: true },
    ];
    const wordsOf = (isOwn: 'added' | 'removed', isOther: 'added' | 'removed') => {
      const own = words.filter(part => !part[isOther]);
      if (own.length === 0) return [];
      return [{ words: own.map(part => ({ text: part.value, isOwn: part[isOwn] })) }];
    };
    pieces.mine.push(...wordsOf('added', 'removed'));
    pieces.theirs.push(...wordsOf('removed', 'added'));
    [removed, added] = [[], []];
  };
  for (const part of diffArrays(paragraphsOf(theirs), paragraphsOf(mine))) {
    if (part.removed) removed = part.value;
    else if (part.added) added = part.value;
    else {
      tell();
      pieces.mine.push({ same: part.value.length });
      pieces.theirs.push({ same: part.value.length });
    }
  }
  tell();
  return pieces;
}

const paragraphsOf = (text: string) => text.split(/\n[ \t]*\n\s*/).filter(paragraph => paragraph !== '');
