/**
 * What the shapes of Markdown cost to render, in microseconds, measured with Node 24 on one core of a server
 * (docs/decisions/markdown-differences.md) and rounded up. Where a price is multiplied by what came before, the comment
 * names the code that makes the shape quadratic.
 */
export const prices = {
  character: 0.5,
  line: 15,
  block: 40,
  heading: 60,
  /** A list item, quote or footnote marker. */
  marker: 80,
  /** A container that closes, times the markers before it: `EditMap.consume` in micromark's document tokenizer. */
  close: 0.17,
  /** An underlined heading, times the lines before it: `resolveToSetextUnderline`. */
  underline: 0.25,
  row: 60,
  cell: 60,
  /** Rows are filled up to the width of the header: mdast-util-to-hast `tableRow`. */
  emptyCell: 2,
  definition: 30,
  /** A bracket times the definitions: `defined.includes` in the label tokenizers. */
  lookup: 0.01,
  /** A back reference in the footnotes: each has a link with a label. */
  footnoteCall: 60,
  emphasis: 20,
  /** What is emphasised is resolved again for each level around it: `resolveAllAttention`. */
  nestedRun: 0.7,
  /** A closer without an opener walks back over everything: `resolveAllAttention`. */
  searchedRun: 0.07,
  /** What emphasises nothing is joined to the text around it, times all such: the splices of `resolveAllText`. */
  joinedRun: 0.015,
  bracket: 10,
  /** A closing bracket walks back over those before it: `tokenizePotentialGfmFootnoteCall`, `labelEnd`. */
  searchedBracket: 0.014,
  /** The content of an image is resolved again for each image around it. */
  nestedImage: 1,
  /** Autolinks, hard breaks, escapes and the like. */
  autolink: 60,
  special: 8,
  /** An unfinished tag, code span or title is looked for up to the end of the paragraph: times its characters. */
  tag: 0.02,
  codeSpan: 0.015,
  title: 0.005,
  /** Every word in a bracket walks back to its start, times those words: `previousUnbalanced`. */
  openWord: 0.05,
} as const;

const signs =
  /\*+|_+|~+|`+|!?\[\^?|\](?:\(<?(?:https?:\/\/(?:www\.)?)?)?|<(?:https?:\/\/)?|@|:\/\/|www\.|[\\&#|]/g;

/**
 * The inline text between two ends of paragraph. Weighs the signs in it as it reads them, with a rough idea of what
 * opens and closes what; where the parser's rules are finer, it errs on the dear side.
 */
export class Passage {
  length = 0;
  brackets = 0;
  startsWithMarker = false;
  /** Its first line may begin an HTML block, inside which a fence is not a fence. */
  isHtml = false;
  #cost = 0;
  #costPerCharacter = 0;
  #runs = 0;
  #open: Record<string, number[]> = { '*': [], _: [], '~': [] };
  #openBrackets = 0;
  #openWords = 0;
  /** Where in the line the outermost open bracket is. */
  #openSince = 0;

  add(line: string, isMarked: boolean): void {
    if (this.length === 0) {
      this.startsWithMarker = isMarked;
      this.isHtml = /^ {0,3}</.test(line);
    }
    this.length += line.length + 1;
    this.#openSince = 0;
    if (line.endsWith('  ')) this.#cost += prices.autolink;
    for (const found of line.matchAll(signs)) {
      const sign = found[0];
      const first = sign.charAt(0);
      if (first === '*' || first === '_' || first === '~') this.#addRun(line, found.index, sign);
      else if (sign.includes('[') || first === ']') this.#addBracket(line, found.index, sign);
      else if (first === '<') this.#costPerCharacter += prices.tag;
      else if (first === '`') this.#costPerCharacter += prices.codeSpan;
      else this.#cost += '@:w'.includes(first) ? prices.autolink : prices.special;
    }
    if (this.#openBrackets > 0) this.#countWords(line, line.length);
  }

  /** In microseconds. */
  get cost(): number {
    const words = prices.openWord * this.#openWords ** 2;
    const runs = prices.joinedRun * this.#runs ** 2;
    return this.#cost + this.#costPerCharacter * this.length + words + runs;
  }

  #addRun(line: string, at: number, sign: string): void {
    const before = /[^\s]/.test(line.charAt(at - 1));
    const after = /[^\s]/.test(line.charAt(at + sign.length));
    const isInWord = sign[0] === '_' && /\w\w/.test(line.charAt(at - 1) + line.charAt(at + sign.length));
    this.#runs += 1;
    if (isInWord || (!before && !after)) {
      this.#cost += prices.special;
      return;
    }
    this.#cost += prices.emphasis;
    const open = this.#open[sign.charAt(0)] ?? [];
    const opener = before ? open.pop() : undefined;
    if (opener !== undefined) this.#cost += prices.nestedRun * (this.#runs - opener);
    // A run that can do both opens nothing surely, so it is taken to have looked in vain, too.
    if (before && (opener === undefined || after)) this.#cost += prices.searchedRun * this.#runs;
    if (after && opener === undefined) open.push(this.#runs);
  }

  #addBracket(line: string, at: number, sign: string): void {
    this.brackets += 1;
    this.#cost += prices.bracket;
    if (sign.endsWith('^')) this.#cost += prices.footnoteCall;
    if (sign.includes('[')) {
      if (this.#openBrackets === 0) this.#openSince = at;
      this.#openBrackets += 1;
      if (sign.startsWith('!')) this.#cost += prices.nestedImage * this.#openBrackets;
      return;
    }
    if (this.#openBrackets === 1) {
      this.#countWords(line, at);
      this.#cost += prices.openWord * this.#openWords ** 2;
      this.#openWords = 0;
    }
    this.#openBrackets = Math.max(0, this.#openBrackets - 1);
    this.#cost += prices.searchedBracket * this.brackets;
    if (sign.includes('(')) this.#costPerCharacter += prices.title;
  }

  #countWords(line: string, end: number): void {
    this.#openWords += line.slice(this.#openSince, end).split(' ').length;
  }
}
