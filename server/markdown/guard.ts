import { contentMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { Passage, prices } from './prices.ts';

/** Levels that lists and quotes may nest on one line, and levels that indentation may add to that. */
export const maxNesting = 30;
const maxListIndent = 100;

/** Microseconds that any text may cost, and what a long text may cost for each of its characters. */
const freeCost = 250_000;
const costPerCharacter = 3;

type Cost = { text: number; lists: number; headings: number; inline: number; tables: number; notes: number };

const tooMuch: Record<keyof Cost, string> = {
  text: 'very short lines',
  lists: 'lists and quotes',
  headings: 'underlined headings',
  inline: 'brackets, asterisks, underscores or tags in one paragraph',
  tables: 'table cells',
  notes: 'link definitions and footnotes',
};

const containerPrefix = /^(?:[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)|\[\^[^\]\s]{1,200}\]:))*/;
const marker = />|[-+*]|\d+[.)]|\[\^[^\]]+\]:/g;
const fenceStart = /^[ \t]*(`{3,}|~{3,})([^`]*)$/;
const underline = /^[ \t]*(?:=+|-+)[ \t]*$/;
const tableRule = /^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)*[ \t]*(?::?-+:?)?[ \t]*$/;
const atxHeading = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const definition = /^ {0,3}\[[^\]]+\]:/;

/**
 * Refuses a text that would take the renderer too long, before it is parsed. Parsing is linear in what people write,
 * but some shapes are quadratic (micromark says so of emphasis), and the event loop is shared by every reader. So the
 * text is weighed first, in one pass over its lines, with the measured prices of prices.ts; a weight above 250 ms, or
 * above about three times what ordinary prose of its length takes, is refused. The weight depends on the text alone, so what
 * is refused here is refused on every machine.
 *
 * @throws AppError invalid-argument, with a sentence for the author.
 */
export function refuseCostly(markdown: string): void {
  if (markdown.length > contentMaxCharacters) {
    throw new AppError(
      'invalid-argument',
      `This text is longer than ${contentMaxCharacters.toLocaleString('en-US')} characters. Split it into several posts.`,
    );
  }
  const cost = weigh(markdown);
  const total = Object.values(cost).reduce((sum, part) => sum + part, 0);
  if (total <= Math.max(freeCost, costPerCharacter * markdown.length)) return;
  const [worst] = (Object.keys(cost) as (keyof Cost)[]).sort((a, b) => cost[b] - cost[a]);
  throw new AppError(
    'invalid-argument',
    `This text has too many ${tooMuch[worst ?? 'text']} to be rendered quickly. Simplify it or split it into several posts.`,
  );
}

/** What rendering the text costs by the price list, in microseconds on the machine of the measurements. */
export function weigh(markdown: string): Cost {
  const cost: Cost = { text: 0, lists: 0, headings: 0, inline: 0, tables: 0, notes: 0 };
  let passage = new Passage();
  let fence: string | undefined;
  let isInList = false;
  let columns = 0;
  let lines = 0;
  let markers = 0;
  let markersBefore = 0;
  let definitions = 0;
  let brackets = 0;

  const endPassage = () => {
    cost.inline += passage.cost;
    brackets += passage.brackets;
    passage = new Passage();
  };

  for (const line of markdown.split(/\r\n?|\n/)) {
    cost.text += prices.character * line.length + prices.line;
    const prefix = containerPrefix.exec(line)?.[0] ?? '';
    const rest = line.slice(prefix.length);
    if (fence !== undefined) {
      const trimmed = rest.trim();
      if (trimmed.startsWith(fence) && trimmed === (fence[0] ?? '').repeat(trimmed.length)) fence = undefined;
      continue;
    }

    const found = prefix.match(marker) ?? [];
    refuseNesting(found.length, prefix);
    const notes = found.filter(one => one.startsWith('[')).length;
    const items = found.filter(one => one !== '>').length;
    if (found.length > 0) {
      cost.lists += prices.marker * found.length;
      // A container that closes rewrites the events of everything before it.
      if (items > 1 || notes > 0 || markersBefore === 0) cost.lists += prices.close * (markers + lines / 4);
      markers += found.length + 4 * notes;
      definitions += notes;
    }
    markersBefore = found.length;
    if (rest.trim() === '') {
      if (found.length === 0 || rest !== line) columns = 0;
      endPassage();
      continue;
    }

    lines += 1;
    if (passage.length === 0) cost.text += prices.block;
    const isIndented = /^(?: {4}| {0,3}\t)/.test(rest);
    if (items > 0) isInList = true;
    else if (passage.length === 0 && !/^[ \t]/.test(line)) isInList = false;
    const opened = isIndented && !isInList ? null : fenceStart.exec(rest);
    if (opened && !passage.isHtml) {
      endPassage();
      fence = opened[1];
      continue;
    }
    if (definition.test(rest)) definitions += 1;
    if (passage.length > 0 && underline.test(rest)) cost.headings += prices.underline * lines;
    if (columns > 0) {
      cost.tables += prices.cell * countOf(rest, '|') + prices.emptyCell * columns + prices.row;
    } else if (passage.length > 0 && /[|:]/.test(rest) && tableRule.test(rest)) {
      columns = countOf(rest, '|') + 1;
      cost.tables += prices.cell * columns;
    }
    if (atxHeading.test(rest)) cost.headings += prices.heading;
    if (columns > 0 || startsPassage(rest, found, passage)) endPassage();
    passage.add(rest, found.length > 0);
  }
  endPassage();
  // Every bracket that could be a reference is looked up in the list of definitions.
  cost.notes += prices.lookup * definitions * brackets + prices.definition * definitions;
  return cost;
}

/** Whether a line ends the paragraph before it: a heading, or a list item where the parser would see one as well. */
function startsPassage(rest: string, found: string[], passage: Passage): boolean {
  if (atxHeading.test(rest)) return true;
  const last = found.at(-1);
  if (last === undefined || last === '>') return false;
  return passage.startsWithMarker || /^(?:[-+*]|1[.)]|\[)/.test(last);
}

function refuseNesting(levels: number, prefix: string): void {
  // Only the space before the first marker counts: it is what the levels above have indented.
  const indent = levels === 0 ? 0 : prefix.search(/[^ \t]/);
  if (levels <= maxNesting && indent <= maxListIndent) return;
  throw new AppError('invalid-argument', `Lists and quotes can be nested at most ${maxNesting} levels deep.`);
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
