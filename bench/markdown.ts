import { monitorEventLoopDelay } from 'node:perf_hooks';
import { timeLimitOf } from '../server/markdown/bounds.ts';
import { renderText } from '../server/markdown/render-text.ts';

/**
 * `npm run bench:markdown`: what malicious texts cost. Prints for each how long its author waits, whether it
 * is refused, and how long it blocks the event loop, which every reader shares: at most 200 ms
 * (security-tests.md, 59). Each shape is rendered at its full length, by the worker, and cut to the length
 * that is rendered without one.
 */
const size = 100_000;
const repeated = (part: string, characters = size) => part.repeat(Math.ceil(characters / part.length));
const levels = (part: string, count: number) =>
  Array.from({ length: count }, (_, level) => `${part.repeat(level)}- a`).join('\n');

/** Parts that are repeated, separated by `¦`; first the single characters of test case 59. */
const parts = [
  ...'[]*_`>!~<|#-:@\\&(.\t \na',
  ...'![[[[¦![¦[a](¦[a](b "¦[a](<b¦[a][b]¦[a¦a](b)¦[*¦*[a]¦[^a]¦](a)¦**a** ¦*a ¦a *\'¦a* ¦*a_b '.split('¦'),
  ...'a**b¦*_ a ¦~a ~~b ¦_a __b ¦a_@¦`a ``b ¦<!-- ¦a <?¦a <![CDATA[¦<a ¦<a b="¦<b>¦<div>\n\n'.split('¦'),
  ...'<style>¦</b>¦www.a.b ¦a@b.c ¦http://a.b/ ¦&amp;¦a  \n¦- ¦+ ¦1. ¦> ¦- 1. > ¦- a\n'.split('¦'),
  ...'- - - a\n\np\n\n¦- [ ] a\n¦> a\n\n¦a\n=\n\n¦a\n-\n¦# a\n¦```\n¦- ```\n¦    a\n\n¦[a]: b\n'.split('¦'),
  ...'[^a]: b\n\n¦[^a]: ¦|a|\n|-|\n\n¦a\n\n'.split('¦'),
];

/** Test case 59, and every shape that measurements found to take quadratic time or to nest deeply. */
const bombs: readonly [name: string, markdown: string][] = [
  ...parts.map((part): [string, string] => [`repeated ${JSON.stringify(part)}`, repeated(part)]),
  ['nested emphasis', repeated('*a ', size / 2) + repeated('a* ', size / 2)],
  ['nested mixed emphasis', repeated('*_a ', size / 2) + repeated('a_* ', size / 2)],
  ['nested links', repeated('[', size / 2) + repeated('](a)', size / 2)],
  ['nested images', repeated('![', size / 2) + repeated('](a)', size / 2)],
  ['nested lists', levels('  ', 300)],
  ['nested quotes, line by line', levels('> ', 300)],
  ['long link text', `[${repeated('a b ')}](c)`],
  ['long link text without end', `[${repeated('a b ')}`],
  ['long destination', `[a](${repeated('b')})`],
  ['deep parentheses', `[a](${repeated('(')})`],
  ['code spans of every length', Array.from({ length: 440 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
  ['wide table', `|${repeated('a|', size / 2)}\n|${repeated('-|', size / 2)}`],
  [
    'table that is filled up',
    `|${repeated('a|', 3_000)}\n|${repeated('-|', 3_000)}\n${repeated('a\n', 3_000)}`,
  ],
  ['long table', `|a|b|\n|-|-|\n${repeated('|a|b|\n')}`],
  [
    'many definitions and references',
    `${numbered(5_000, at => `[${at}]: /x\n`)}\n${numbered(5_000, at => `[${at}] `)}`,
  ],
  ['many footnotes', numbered(5_000, at => `[^${at}]\n\n[^${at}]: x\n\n`)],
  ['a line of 1 MB', repeated('word ', 1_000_000)],
  ['code that is slow to colour', `\`\`\`arduino\n${repeated('a\n', 19_000)}\`\`\``],
];

function numbered(count: number, part: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => part(at)).join('');
}

const inPlaceCharacters = 5_000;
for (const [name, text] of bombs) {
  for (const markdown of [text, text.slice(0, inPlaceCharacters)]) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const start = performance.now();
    const outcome = await renderText(markdown).then(
      () => 'rendered',
      () => 'refused',
    );
    const seconds = (performance.now() - start) / 1_000;
    delay.disable();
    const columns = [
      `${outcome} after ${seconds.toFixed(2)} s of ${(timeLimitOf(markdown) / 1_000).toFixed(1)} s`,
      `loop held up for ${Math.round(delay.max / 1e6)} ms`,
      `${markdown.length} characters: ${name}`,
    ];
    process.stdout.write(`${columns.join(', ')}\n`);
  }
}
