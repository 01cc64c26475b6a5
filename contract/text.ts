/** The number of characters as people count them: a flag or a family is one. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of new Intl.Segmenter('en').segment(text)) count += 1;
  return count;
}

/** The number of characters as databases count them. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
