import { expect, test } from 'vitest';
import { blockStarts } from './block-starts.ts';
import { renderMarkdown } from './render.ts';

const text = `# Rivers

They *rise*<br>in the ![night < day](/files/a/a.png "</p>").

- one
  - two

> quoted

---

| a | b |
| - | - |
| 1 | 2 |

- [ ] open

\`\`\`js
const a = '<p>';
\`\`\`

[Video: a](/files/x/a.mp4)

A note[^1].

[^1]: Here.`;

test('each outermost element of a rendered text begins at one place', () => {
  const { html } = renderMarkdown(text);
  const starts = blockStarts(html);
  const blocks = starts.map((start, at) => html.slice(start, starts[at + 1]).trim());
  expect(blocks.map(block => /^<[a-z0-9]+/.exec(block)?.[0])).toEqual(
    ['h2', 'p', 'ul', 'blockquote', 'hr', 'div', 'ul', 'pre', 'video', 'span', 'p', 'section'].map(
      tag => `<${tag}`,
    ),
  );
  expect(blocks.at(1)).toMatch(/<\/p>$/);
});

test('words between elements belong to the element before them, and no words have no place', () => {
  expect(blockStarts('words <b>and <i>more</i></b> words <br> end')).toEqual([6, 35]);
  expect(blockStarts('')).toEqual([]);
});
