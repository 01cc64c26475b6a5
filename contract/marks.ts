/**
 * The most marks behind each other, in characters: far beyond every script, and what people stack for fun.
 * Browsers shape a letter in time with the square of its marks: 80,000 take Chromium half a minute.
 */
export const mostMarks = 30;

/** All that joins the character before it: marks, joiners, skin tones, and letters such as Thai sara am. */
const joining = /[\p{M}\p{Cf}\p{EMod}\u0e33\u0eb3\uff9e\uff9f]/u;
const tooMany =
  /([\p{M}\p{Cf}\p{EMod}\u0e33\u0eb3\uff9e\uff9f]{30})[\p{M}\p{Cf}\p{EMod}\u0e33\u0eb3\uff9e\uff9f]+/gu;

/** A text in which at most {@link mostMarks} marks are behind each other; further ones are left out. */
export const cutMarks = (text: string) => (mayHaveTooMany(text) ? text.replaceAll(tooMany, '$1') : text);

/** Whether {@link cutMarks} would change a text. */
export const hasTooManyMarks = (text: string) => mayHaveTooMany(text) && text.search(tooMany) >= 0;

export const isJoining = (character: string) => joining.test(character);

/**
 * Whether so many units behind each other may be marks. Texts are asked each time they are read, so only
 * every 31st unit is looked at, which takes a tenth of the time of the expression.
 */
function mayHaveTooMany(text: string): boolean {
  for (let at = mostMarks; at < text.length; at += mostMarks + 1) {
    if (!mayJoin(text.charCodeAt(at))) continue;
    let [first, last] = [at, at];
    while (mayJoin(text.charCodeAt(first - 1))) first -= 1;
    while (mayJoin(text.charCodeAt(last + 1))) last += 1;
    if (last - first >= mostMarks) return true;
  }
  return false;
}

let joiningUnits: Uint8Array | undefined;
/** Whether a unit is a mark, or may be half of one. An expression takes a hundred times as long. */
export function mayJoin(unit: number): boolean {
  if (Number.isNaN(unit) || (unit < 0x300 && unit !== 0xad)) return false;
  joiningUnits ??= Uint8Array.from({ length: 0x1_0000 }, (_, code) =>
    Number((code >= 0xd800 && code <= 0xdfff) || joining.test(String.fromCharCode(code))),
  );
  return joiningUnits[unit] === 1;
}
