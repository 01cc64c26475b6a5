import { diffArrays, diffWordsWithSpace } from 'diff';

/** A part of one of two versions of a text: so many paragraphs that both have, or words that differ. */
export type Piece = { same: number } | { words: readonly { text: string; isOwn: boolean }[] };

/** How long two versions may be compared, in milliseconds; what is left then is shown whole. */
const mostMs = 300;

/** What each of two versions of a text has that the other has not, paragraph by paragraph. */
export function differences(mine: string, theirs: string): { mine: Piece[]; theirs: Piece[] } {
  const pieces: { mine: Piece[]; theirs: Piece[] } = { mine: [], theirs: [] };
  const until = Date.now() + mostMs;
  let removed: string[] = [];
  let added: string[] = [];
  const tell = () => {
    if (removed.length + added.length === 0) return;
    const [before, after] = [removed.join('\n\n'), added.join('\n\n')];
    const left = until - Date.now();
    const words = (left > 0 ? diffWordsWithSpace(before, after, { timeout: left }) : undefined) ?? [
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
  const [before, after] = [paragraphsOf(theirs), paragraphsOf(mine)];
  const parts = diffArrays(before, after, { timeout: mostMs }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  for (const part of parts) {
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
