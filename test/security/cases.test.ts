import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cases } from './cases.ts';

const root = join(import.meta.dirname, '../..');

it('every case of the security plan has a test, or a reason why it needs none', () => {
  const numbers = Array.from({ length: 74 }, (_, index) => index + 1);
  expect(Object.keys(cases).map(Number)).toEqual(numbers);
  for (const number of numbers) {
    const { by, also = [], reason } = cases[number] ?? {};
    expect([number, by ?? reason]).not.toEqual([number, undefined]);
    for (const file of [...(by === undefined ? [] : [by]), ...also]) {
      // In the title of a test; the programs of test/faults/ say it of their functions.
      const named = file.startsWith('test/faults/')
        ? new RegExp(`\\bCase ${number}\\.`)
        : new RegExp(`\\(\\s*['"\`](?:\\d+, )*${number}(?:, \\d+)*\\. `);
      const text = readFileSync(join(root, file), 'utf8');
      expect([number, file, named.test(text)]).toEqual([number, file, true]);
    }
  }
});
