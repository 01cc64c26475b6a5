import { expect, it } from 'vitest';
import { withMistake } from './mistake.ts';

const source = `
export async function addComment(trx: Trx, viewer: Viewer): Promise<void> {
  await lockReadable(trx, viewer);
  if (viewer.user === null || viewer.isGone) return;
  await trx.updateTable('posts').where('id', '=', viewer.id).where('title', 'is', null).execute();
}
class Sessions {
  find = () => ({ isOpen: true, keys: ['a', 'b'] });
}`;

it.each([
  ['addComment: lockReadable()', 'nothing', 'await lockReadable(trx, viewer);', '{}'],
  ['addComment: ||', 'right', 'viewer.user === null || viewer.isGone', 'viewer.isGone'],
  ['addComment: if', 'consequent', 'if (viewer.user === null || viewer.isGone) return;', 'return;'],
  ["addComment: where('title')", 'nothing', ".where('title', 'is', null)", ''],
  ['Sessions.find: property', 'nothing', 'isOpen: true,', ''],
  ["Sessions.find: 'b'", 'nothing', ", 'b'", ''],
  ["Sessions.find: 'a'", "'c'", "'a'", "'c'"],
])('a mistake is made in the node %s: %s', (at, put, before, after) => {
  expect(withMistake(source, { file: 'source.ts', at, put })).toBe(source.replace(before, after));
});

it('a node that has gone is refused by its name', () => {
  const mistake = { file: 'source.ts', at: 'addComment: if #2', put: 'nothing' };
  expect(() => withMistake(source, mistake)).toThrow('source.ts has no addComment: if #2');
});
