/** Longer sequences would find fewer accounts that do not match, and make a far larger index. */
const longest = 3;
/** With so many sequences of a term, few accounts are found that do not contain the term. */
const mostOfTerm = 12;

/**
 * The sequences of one, two and three letters in some texts, without regard to case: what an account is found
 * by.
 */
export function lettersOf(texts: readonly string[]): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    const letters = [...folded(text)];
    for (let length = 1; length <= longest; length += 1) {
      for (let at = 0; at + length <= letters.length; at += 1)
        found.add(letters.slice(at, at + length).join(''));
    }
  }
  return [...found];
}

/**
 * Sequences that every text with this term contains; some other texts contain them, too. None for a term
 * without letters.
 */
export function lettersOfTerm(term: string): string[] {
  const letters = [...folded(term)];
  if (letters.length === 0) return [];
  const length = Math.min(longest, letters.length);
  const all = Array.from({ length: letters.length - length + 1 }, (_, at) =>
    letters.slice(at, at + length).join(''),
  );
  return [...new Set(all)].slice(-mostOfTerm);
}

/**
 * Folds letters that any comparison treats as equal to one: ‘ı’, ‘İ’ and ‘i’, ‘ß’ and ‘SS’, and ‘ς’ at the
 * end of a word and ‘σ’. The search then compares the texts themselves, and more strictly.
 */
function folded(text: string): string {
  return text
    .toWellFormed()
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('\u0307', '')
    .replaceAll('ς', 'σ');
}
