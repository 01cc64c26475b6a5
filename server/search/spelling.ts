/** The letters of the scripts in which words are corrected, without accents, as `fold` leaves them. */
const alphabets = [
  { letters: 'abcdefghijklmnopqrstuvwxyz', vowels: 'aeiouy' },
  { letters: 'абвгдежзиклмнопрстуфхцчшщъыьэюя', vowels: 'аеиоуыэюя' },
  { letters: 'αβγδεζηθικλμνξοπρστυφχψω', vowels: 'αεηιουω' },
] as const;

/** Shorter words have too many neighbours, and longer ones too many candidates. */
const fewestLetters = 4;
const mostLetters = 16;

/**
 * The words that somebody may have meant by a misspelt one: with one letter wrong, missing, too many or
 * transposed, or with one vowel moved and perhaps replaced.
 */
export function spellingsOf(word: string): string[] {
  const alphabet = alphabets.find(({ letters }) => [...word].every(letter => letters.includes(letter)));
  if (alphabet === undefined || word.length < fewestLetters || word.length > mostLetters) return [];
  const { letters, vowels } = alphabet;
  const places = [...word].map((_, at) => at);
  const near = [
    ...places.flatMap(at => withLetter(word, at, letters)),
    ...withLetter(word, word.length, letters),
    ...places.map(at => without(word, at)),
    ...places.flatMap(at => withLetter(without(word, at), at, letters)),
    ...places.slice(1).map(at => word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1)),
  ];
  const far = places
    .filter(at => vowels.includes(word[at] ?? ''))
    .map(at => without(word, at))
    .flatMap(rest => [...rest, ''].flatMap((_, at) => withLetter(rest, at, vowels)));
  return [...new Set([...near, ...far])].filter(other => other !== word);
}

const without = (word: string, at: number) => word.slice(0, at) + word.slice(at + 1);

/** A word with each of these letters inserted at a position. */
const withLetter = (word: string, at: number, letters: string) =>
  [...letters].map(letter => word.slice(0, at) + letter + word.slice(at));
