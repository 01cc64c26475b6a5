import { describe, expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { renderMarkdown } from './render.ts';
import { RenderThread, renderAside } from './render-aside.ts';

/** About 30,000 characters: a tenth of a second of rendering and more. */
const chapter = `# Rivers\n\n${'They *come* from [the hills](https://example.com), `slowly`, and go to the sea. '.repeat(8)}\n\n`;
const book = chapter.repeat(40);

describe('a long text, rendered aside', () => {
  it('comes out as it does in place', async () => {
    expect(await renderAside(book, { idPrefix: 'p1-' })).toEqual(renderMarkdown(book, { idPrefix: 'p1-' }));
  });

  it('59. lets the others go on meanwhile', async () => {
    let isRendered = false;
    const rendering = renderAside(book).then(() => {
      isRendered = true;
    });
    let turns = 0;
    while (!isRendered) {
      await new Promise(resolve => setImmediate(resolve));
      turns += 1;
    }
    await rendering;
    // In place, the loop would not have come around at all.
    expect(turns).toBeGreaterThan(10);
  });

  it('is refused with the same sentence', async () => {
    const bomb = `${'[a](b "'.repeat(20_000)}`;
    const refusal = await renderAside(bomb).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AppError);
    expect(() => renderMarkdown(bomb)).toThrow((refusal as AppError).message);
  });

  it('waits its turn behind another', async () => {
    const texts = [book, `${book}one`, `${book}two`];
    const done = await Promise.all(texts.map(text => renderAside(text)));
    expect(done.map(({ text }) => text.slice(-3))).toEqual(['ea.', 'one', 'two']);
  });
});

it('loses one text with its thread, not those behind it', async () => {
  const thread = new RenderThread(new URL('../../test/mortal-thread.ts', import.meta.url));
  const done = await Promise.allSettled(
    ['first', 'die', 'second', 'die', 'third'].map(text => thread.render(text, {})),
  );
  expect(done.map(end => (end.status === 'fulfilled' ? end.value.text : 'lost'))).toEqual([
    'first',
    'lost',
    'second',
    'lost',
    'third',
  ]);
});

it('renders a short text in place', async () => {
  expect(await renderAside('*Rain*')).toEqual({ html: '<p><em>Rain</em></p>', text: 'Rain' });
});
