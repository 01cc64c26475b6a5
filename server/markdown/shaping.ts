import { brokenAfter, hasLongWords, isBreak } from '../../contract/long-words.ts';
import { hasTooManyMarks, isJoining, mayJoin, mostMarks } from '../../contract/marks.ts';

/** A tag of serialised HTML; the values of its attributes may contain `>`. */
const tag = /(<(?:[^"'>]|"[^"]*"|'[^']*')*>)/;
const tags = new RegExp(tag, 'g');
const breakTag = '<wbr>';
/** A character, or the reference to one. */
const characters = /&[#\w]+;|./gsu;

/**
 * HTML that no browser shapes for seconds: at most 30 marks are on one letter, and long words of joined
 * letters can be broken. Browsers shape a line across the borders of elements, so tags do not count.
 */
export function boundShaping(html: string): string {
  if (!mayBeSlow(html)) return html;
  const text = html.replaceAll(tags, shown => (shown === breakTag ? '\u200b' : ''));
  const breaks = hasLongWords(text);
  if (!breaks && !hasTooManyMarks(text)) return html;
  let [marks, length] = [0, 0];
  const bounded = (part: string) => {
    let shown = '';
    for (const character of part.match(characters) ?? []) {
      marks = isJoining(character) ? marks + 1 : 0;
      if (marks > mostMarks) continue;
      length = isBreak(character) ? 0 : length + 1;
      if (breaks && length > brokenAfter && marks === 0) {
        shown += breakTag;
        length = 1;
      }
      shown += character;
    }
    return shown;
  };
  return html
    .split(tag)
    .map((part, index) => {
      if (index % 2 === 0) return bounded(part);
      if (part === breakTag) length = 0;
      return part;
    })
    .join('');
}

/**
 * Whether HTML has so many marks, or a letter of a script in which letters join. HTML is asked each time it
 * is read, and most has neither.
 */
function mayBeSlow(html: string): boolean {
  let marks = 0;
  for (let at = 0; at < html.length; at += 1) {
    const unit = html.charCodeAt(at);
    if (unit < 0x300) continue;
    if (!isApart(unit)) return true;
    if (mayJoin(unit)) marks += 1;
    if (marks > mostMarks) return true;
  }
  return false;
}

/** Whether a unit is of European letters, signs, or Chinese, Japanese or Korean: there no letters join. */
const isApart = (unit: number) =>
  unit < 0x600 || (unit >= 0x1e00 && unit < 0xa800) || (unit >= 0xac00 && unit < 0xd7b0);
