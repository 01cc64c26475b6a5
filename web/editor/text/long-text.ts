/** A text with fewer characters is cheap to render with each key; a longer one waits until typing rests. */
export const longCharacters = 3_000;
