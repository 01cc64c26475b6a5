import { brokenAfter, hasLongWords, isBreak } from '../../contract/long-words.ts';
import { hasTooManyMarks, isJoining, mayJoin, mostMarks } from '../../contract/marks.ts';

/** A tag of serialised HTML; the values of its attributes may contain `>`. */
const tag = /(<(?:[^"'>]|"[^"]*"|'[^']*')*>)/;
const tags = new RegExp(tag, 'g');
/** The tags within which a word goes on. */
const inline =
  /^<\/?(?:a|abbr|b|bdi|bdo|cite|code|data|del|dfn|em|i|ins|kbd|mark|q|rp|rt|ruby|s|samp|small|span|strong|sub|sup|time|u|var)\b/i;
const breakTag = '<wbr>';
/** A character, or the reference to one. */
const characters = /&[#\w]+;|./gsu;

/**
 * HTML that no browser shapes for seconds: at most 30 marks are on one letter, and long words can be broken.
 * Browsers shape a line across the borders of inline elements.
 */
export function boundShaping(html: string): string {
  if (!mayBeSlow(html)) return html;
  const text = html.replaceAll(tags, shown => (inline.test(shown) ? '' : '\n'));
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
      if (!inline.test(part)) length = 0;
      return part;
    })
    .join('');
}

/**
 * Whether HTML may have so many marks or such a word. HTML is asked each time it is read, and most has
 * neither.
 */
function mayBeSlow(html: string): boolean {
  let [marks, letters] = [0, 0];
  for (let at = 0; at < html.length; at += 1) {
    const unit = html.charCodeAt(at);
    if (unit === opening) {
      const end = html.indexOf('>', at);
      if (end > 0) at = end;
      continue;
    }
    letters = unit <= space || isBroad(unit) ? 0 : letters + 1;
    if (unit >= 0x300 && mayJoin(unit)) marks += 1;
    if (marks > mostMarks || letters > brokenAfter) return true;
  }
  return false;
}

const [space, opening] = [0x20, 0x3c];

/** Whether a unit is of Chinese, Japanese or Korean: there a line may break at most letters. */
const isBroad = (unit: number) => (unit >= 0x3040 && unit < 0xa000) || (unit >= 0xac00 && unit < 0xd7b0);
