import { expect, test } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { programBeside } from '../base/program.ts';
import { renderMarkdown } from './render.ts';
import { RenderWorker, renderText } from './render-text.ts';

/** About 30,000 characters: more than is rendered in place. */
const chapter = `# Rivers\n\n${'They *come* from [the hills](https://example.com), `slowly`, and go to the sea. '.repeat(8)}\n\n`;
const book = chapter.repeat(40);

const mortal = new URL('../../test/processes/mortal-worker.ts', import.meta.url);
const late = new URL('../../test/processes/late-worker.ts', import.meta.url);
const repeated = (part: string) => part.repeat(Math.ceil(100_000 / part.length));

/**
 * One of each kind of shape that takes the parser the square of its length, or a level of recursion for each
 * part.
 */
const bombs: [string, string][] = [
  ['brackets', repeated('[')],
  ['images', repeated('![[[[')],
  ['links without end', repeated('[a](b "')],
  ['asterisks', repeated('*a ')],
  ['underscores', repeated('_a __b ')],
  ['backticks of every length', Array.from({ length: 440 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
  ['quotes', repeated('>')],
  ['nested lists', Array.from({ length: 300 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n')],
  ['tables', repeated('|a|\n|-|\n\n')],
  ['underlined headings', repeated('a\n=\n\n')],
  ['definitions', repeated('[a]: b\n')],
  ['tags', repeated('<a b="')],
  ['a line of a million characters', 'word '.repeat(200_000)],
];

// Must come first: before anything was rendered in this process, rendering takes longer than a millisecond.
test('an empty text needs no rendering, however busy the machine is', async () => {
  const none = new RenderWorker(new URL('./no-program.ts', import.meta.url));
  expect(await renderText('', {}, none, 1)).toEqual({ html: '', text: '', readable: '' });
});

test('a text that is rendered by a worker comes out as it does in place', async () => {
  expect(await renderText(book, { idPrefix: 'p1-' })).toEqual(renderMarkdown(book, { idPrefix: 'p1-' }));
});

test('a text waits while the worker renders another', async () => {
  const texts = [book, `${book}one`, `${book}two`];
  const done = await Promise.all(texts.map(text => renderText(text)));
  expect(done.map(({ text }) => text.slice(-3))).toEqual(['ea.', 'one', 'two']);
});

test('while a text of somebody is in the worker, the others of this person wait for it, too', async () => {
  const worker = new RenderWorker(mortal);
  const first = worker.run('first', {}, 'lucy');
  // The worker of this test gives back the text; in place it would become HTML.
  expect(await renderText('*Rain*', { by: 'lucy' }, worker)).toMatchObject({ html: '', text: '*Rain*' });
  expect(await first).toMatchObject({ text: 'first' });
  expect(await renderText('*Rain*', { by: 'lucy' }, worker)).toEqual(renderMarkdown('*Rain*'));
});

test('a text that is rendered by a worker takes turns with those of others where somebody has many, and many more are refused', async () => {
  const worker = new RenderWorker(mortal);
  const done: string[] = [];
  const render = async (by: string, text: string) => {
    done.push((await worker.run(text, {}, by)).text);
  };
  const many = Array.from({ length: 20 }, (_, at) => render('lucy', `lucy ${at}`));
  const refused = worker.run('one more', {}, 'lucy').catch((error: unknown) => error);
  await Promise.all([...many, render('mina', 'mina 0'), render('mina', 'mina 1')]);
  expect(await refused).toMatchObject({ code: 'resource-exhausted' });
  expect(done.slice(0, 5)).toEqual(['lucy 0', 'mina 0', 'lucy 1', 'mina 1', 'lucy 2']);
  expect(done).toHaveLength(22);
});

test('a text that is rendered by a worker fails where no worker can be started, and so does the next one', async () => {
  const worker = new RenderWorker(new URL('https://example.org/worker.js'));
  const done = await Promise.allSettled([worker.run('one', {}), worker.run('two', {})]);
  expect(done.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a text that is rendered by a worker takes its worker with it, not those that wait behind it', async () => {
  const worker = new RenderWorker(mortal);
  const done = await Promise.allSettled(
    ['first', 'die', 'second', 'die', 'third'].map(text => worker.run(text, {})),
  );
  expect(done.map(end => (end.status === 'fulfilled' ? end.value.text : 'lost'))).toEqual([
    'first',
    'lost',
    'second',
    'lost',
    'third',
  ]);
});

test('a text that is rendered by a worker is refused when its time is up, and those that wait behind it are rendered', async () => {
  const worker = new RenderWorker(mortal, markdown => (markdown === 'stay' ? 50 : 600_000));
  const stuck = worker.run('stay', {}).catch((error: unknown) => error);
  const behind = worker.run('behind', {});
  expect(await stuck).toMatchObject({ code: 'invalid-argument' });
  expect(await behind).toMatchObject({ text: 'behind' });
});

test('a text that is rendered by a worker is not refused for the time that its worker takes to load', async () => {
  const worker = new RenderWorker(late, () => 1_000);
  expect(await worker.run('patient', {})).toMatchObject({ text: 'patient' });
});

test('59. a text that is rendered by a worker lets the event loop go round until a bomb is done or refused', async () => {
  // Built: a refused bomb ends its worker, and the next one loads the whole renderer again.
  const worker = new RenderWorker(programBeside(import.meta.url, 'render-worker'), () => 250);
  for (const [name, markdown] of bombs) {
    let isDone = false;
    const ended = worker.run(markdown, {}).then(
      () => {
        isDone = true;
        return undefined;
      },
      (error: unknown) => {
        isDone = true;
        return error;
      },
    );
    let turns = 0;
    while (!isDone) {
      // A timer rather than `setImmediate`, which would take as much processor time as the bomb.
      await new Promise(resolve => setTimeout(resolve, 1));
      turns += 1;
    }
    // Rendered in place, it would have blocked the loop completely.
    expect(turns, name).toBeGreaterThan(2);
    const refusal = await ended;
    if (refusal !== undefined) expect(refusal, name).toBeInstanceOf(AppError);
  }
});

test('a short text is rendered in place', async () => {
  const rendered = { html: '<p><em>Rain</em></p>', text: 'Rain', readable: '*Rain*' };
  // Unlimited: the time on a busy machine must not send it to the worker.
  const endless = 2 ** 31 - 1;
  expect(await renderText('*Rain*', {}, new RenderWorker(mortal), endless)).toEqual(rendered);
});

test('59. a text that is long, holds code or takes too long in place goes to the worker', async () => {
  const worker = new RenderWorker(mortal);
  // Every row is filled up to 140 cells: twenty thousand of them take longer than a millisecond.
  const slow = `|${'a|'.repeat(140)}\n|${'-|'.repeat(140)}\n${'a\n'.repeat(140)}`;
  for (const text of [book, '```\na\n```', slow]) {
    // This worker returns its texts unchanged.
    expect(await renderText(text, {}, worker, 1)).toMatchObject({ html: '', text });
  }
});

test('a short text goes to the worker where its caller has other work meanwhile', async () => {
  const worker = new RenderWorker(mortal);
  expect(await renderText('*Rain*', { isAside: true }, worker)).toMatchObject({ html: '', text: '*Rain*' });
});
