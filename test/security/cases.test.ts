import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';
import { cases, signInAttacks } from './cases.ts';

const root = join(import.meta.dirname, '../..');

/**
 * The titles of the tests of a file that run and assert: of `it` and `test`, not of what groups them, nor of
 * what is skipped. That each asserts something, every run sees to (`requireAssertions` in vitest.config.ts).
 */
function titlesOf(path: string, text: string): string[] {
  const titles: string[] = [];
  const visitor = new Visitor({
    CallExpression: ({ callee, arguments: [title] }) => {
      if (title?.type !== 'Literal' && title?.type !== 'TemplateLiteral') return;
      const called = text.slice(callee.start, callee.end);
      if (!/^(?:it|test)\b/.test(called) || /\.(?:skip|todo)\b/.test(called)) return;
      titles.push(text.slice(title.start + 1, title.end - 1));
    },
  });
  visitor.visit(parseSync(path, text).program);
  return titles;
}

it('every case of the security plan has a test that asserts something about it, or a reason why it needs none', () => {
  const numbers = Array.from({ length: 74 }, (_, index) => index + 1);
  expect(Object.keys(cases).map(Number)).toEqual(numbers);
  for (const number of numbers) {
    const { by, also = [], reason } = cases[number] ?? {};
    expect([number, by ?? reason]).not.toEqual([number, undefined]);
    const inTitle = new RegExp(`^(?:\\d+, )*${number}(?:, \\d+)*\\. `);
    for (const file of [...(by === undefined ? [] : [by]), ...also]) {
      const text = readFileSync(join(root, file), 'utf8');
      // The programs of test/faults/ say it of their functions, which throw.
      const isNamed = file.startsWith('test/faults/')
        ? new RegExp(`\\bCase ${number}\\.`).test(text)
        : titlesOf(file, text).some(title => inTitle.test(title));
      expect([number, file, isNamed]).toEqual([number, file, true]);
    }
  }
});

it('the title of a group, of a skipped test or of no test counts for no case', () => {
  const text = `describe('1. a', () => { it.skip('2. b', f); it.todo('3. c'); it.each([1])('4. d', f); say('5. e'); });`;
  expect(titlesOf('x.ts', text)).toEqual(['4. d']);
});

it('every attack on signing up and in has a test of that title', () => {
  for (const [attack, tests] of Object.entries(signInAttacks)) {
    expect([attack, tests.length]).not.toEqual([attack, 0]);
    for (const [file, title] of tests) {
      const titles = titlesOf(file, readFileSync(join(root, file), 'utf8'));
      expect([attack, title, titles.includes(title)]).toEqual([attack, title, true]);
    }
  }
});
