import { type Rendered, renderMarkdown } from '../../server/markdown/render.ts';
import type { Random } from './random.ts';

const who = [
  'My neighbour',
  'The baker',
  'An old friend',
  'My sister',
  'The ferryman',
  'Somebody on the train',
  'Our cat',
  'The librarian',
  'A stranger',
  'My father',
];
const did = [
  'left a note about',
  'spent the whole morning with',
  'could not stop talking about',
  'quietly repaired',
  'asked me to look after',
  'taught me to see',
  'wrote a letter about',
  'nearly forgot',
  'made a drawing of',
  'told a long story about',
];
const what = [
  'the garden behind the station',
  'a clock that runs backwards',
  'the smell of rain on warm stone',
  'three loaves of rye bread',
  'the last ferry of the season',
  'a box of unsent postcards',
  'the sound of the harbour at night',
  'a small program that sorts photographs',
  'the path along the canal',
  'a recipe with one line missing',
];
const then = [
  'and it stayed with me all week.',
  'which explains the flour on the keyboard.',
  'and nobody was in a hurry.',
  'though the weather had other plans.',
  'as if it were the most ordinary thing.',
  'and I still do not know why.',
  'so we put the kettle on again.',
  'and the rest is in the photographs.',
  'which is more than I had hoped for.',
  'and that was that.',
];
const asides = [
  'Some days are like that.',
  'It takes longer than you think, and then it is over.',
  'I wrote it down so that I would not tidy it up later.',
  'There is a lesson in it, but a small one.',
  'We laughed about it on the way home.',
  'Next time I will bring a coat.',
  'The light was better than the plan.',
  'I would do it again tomorrow.',
];
const subjects = [
  'Slow Mornings',
  'The Long Way Home',
  'Notes from the Workshop',
  'A Week without Maps',
  'What the River Keeps',
  'Bread, Mostly',
  'Letters to Nobody',
  'The Quiet Machine',
  'Under the Lime Trees',
  'A Smaller Toolbox',
];
const turns = [
  'and Other Habits',
  'in November',
  'Revisited',
  'for Beginners',
  'after the Rain',
  'by Night Train',
  'with Both Hands',
  'One Year On',
  'in Five Pieces',
  'from Memory',
];
const code = [
  '```ts\nconst byYear = Map.groupBy(photos, photo => photo.takenAt.getFullYear());\nfor (const [year, group] of byYear) console.log(year, group.length);\n```',
  '```sh\nfind photos -name "*.jpg" -newer last-run -print0 | xargs -0 exiftool -d %Y-%m\n```',
  '```python\ndef mean(values):\n    return sum(values) / len(values) if values else None\n```',
  '```sql\nselect place, count(*) as visits from walks group by place order by visits desc;\n```',
];

/** The words of a post in all their forms. */
export type Text = { content: string } & Rendered;

/** The beginning of heading ids, which a post's id replaces. */
const placeholder = 'SEEDSEEDSEEDSEED';

const sentence = (random: Random) =>
  `${random.pick(who)} ${random.pick(did)} ${random.pick(what)}, ${random.pick(then)}`;
const paragraph = (random: Random, sentences: number) =>
  Array.from({ length: sentences }, () =>
    random.next() < 0.25 ? random.pick(asides) : sentence(random),
  ).join(' ');

/** Some texts, each rendered once and then combined, because rendering every post would take minutes. */
export class Texts {
  readonly #random: Random;
  readonly #openings: string[];
  readonly #bodies: string[];
  readonly #rendered = new Map<string, Text>();

  constructor(random: Random) {
    this.#random = random;
    this.#openings = Array.from({ length: 200 }, () => paragraph(random, 1));
    // Most essays are short, a few are long: about 300 words, up to 2,000.
    this.#bodies = Array.from({ length: 50 }, (_, index) =>
      essay(random, index < 35 ? random.between(2, 4) : random.between(5, 24)),
    );
  }

  /** At most 300 characters. */
  shortPost(): Text {
    const first = this.#opening();
    const second = this.#opening();
    return first === second || this.#random.next() < 0.4 ? first : joined([first, second]);
  }

  /** Up to 2,000 words, with headings, lists and code. The headings' ids start with the post's. */
  essay(postId: string): Text {
    const body = this.#render(this.#random.pick(this.#bodies));
    const text = joined([this.#opening(), body, this.#opening()]);
    return { ...text, html: text.html.replaceAll(placeholder, postId) };
  }

  title(): string {
    return `${this.#random.pick(subjects)} ${this.#random.pick(turns)}`;
  }

  description(): string {
    return paragraph(this.#random, 2);
  }

  comment(): string {
    return paragraph(this.#random, this.#random.between(1, 3));
  }

  #opening(): Text {
    return this.#render(this.#random.pick(this.#openings));
  }

  #render(content: string): Text {
    const known = this.#rendered.get(content);
    if (known !== undefined) return known;
    const text = { content, ...renderMarkdown(content, { idPrefix: `${placeholder}-` }) };
    this.#rendered.set(content, text);
    return text;
  }
}

function essay(random: Random, sections: number): string {
  const parts = [];
  for (let section = 0; section < sections; section += 1) {
    if (section > 0) parts.push(`## ${random.pick(subjects)} ${random.pick(turns)}`);
    parts.push(paragraph(random, random.between(2, 5)), paragraph(random, random.between(1, 3)));
    if (random.next() < 0.3)
      parts.push(
        Array.from({ length: 4 }, () => `- ${random.pick(what)}, **${random.pick(what)}**`).join('\n'),
      );
    if (random.next() < 0.2) parts.push(random.pick(code));
    if (random.next() < 0.15) parts.push(`> ${random.pick(asides)} ${random.pick(asides)}`);
  }
  return parts.join('\n\n');
}

const joined = (texts: readonly Text[]): Text => ({
  content: texts.map(text => text.content).join('\n\n'),
  html: texts.map(text => text.html).join('\n'),
  text: texts.map(text => text.text).join(' '),
  readable: texts.map(text => text.readable).join('\n\n'),
});
