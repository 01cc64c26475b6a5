import { expect, it } from 'vitest';
import { differences, type Piece } from './differences.ts';

const written = (pieces: readonly Piece[]) =>
  pieces.map(piece =>
    'same' in piece
      ? piece.same
      : piece.words.map(({ text, isOwn }) => (isOwn ? `[${text}]` : text)).join(''),
  );
const compared = (mine: string, theirs: string) => {
  const { mine: ours, theirs: others } = differences(mine, theirs);
  return [written(ours), written(others)];
};

it('two versions show the words that differ, and count the paragraphs that both have', () => {
  expect(compared('One.\n\nTwo red.\n\nThree.\n\nFour.', 'One.\n\nTwo blue.\n\nThree.\n\nFour.')).toEqual([
    [1, 'Two [red].', 2],
    [1, 'Two [blue].', 2],
  ]);
});

it('a paragraph that only one version has is shown there', () => {
  expect(compared('One.\n\nNew.\n\nTwo.', 'One.\n\nTwo.')).toEqual([
    [1, '[New.]', 1],
    [1, 1],
  ]);
});

it('two equal texts are one count, and empty ones are nothing', () => {
  expect(compared('One.\n\nTwo.', 'One.\n\n\nTwo.')).toEqual([[2], [2]]);
  expect(compared('', '')).toEqual([[], []]);
});

it('long texts without a common word are shown whole', () => {
  const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word}${at}`).join(' ');
  const [mine] = compared(text('a'), text('b'));
  expect(mine?.join('').replaceAll(/[[\]]/g, '')).toBe(text('a'));
});

it('thousands of other paragraphs lose no word, however many of them could be compared', () => {
  const paragraphs = (count: number, of: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => of(at)).join('\n\n');
  const plain = (pieces: readonly Piece[]) =>
    pieces.flatMap(piece => ('same' in piece ? [] : [piece.words.map(({ text }) => text).join('')]));
  const other = differences(
    paragraphs(6_000, at => `mine ${at}`),
    paragraphs(6_000, at => `theirs ${at}`),
  );
  expect(plain(other.theirs).join('\n\n')).toBe(paragraphs(6_000, at => `theirs ${at}`));
  const mixed = (word: string) => paragraphs(2_000, at => (at % 2 === 0 ? `same ${at}` : `${word} ${at}`));
  const between = differences(mixed('mine'), mixed('theirs'));
  expect(
    plain(between.mine)
      .join('\n\n')
      .match(/mine \d+/g),
  ).toHaveLength(1_000);
});
