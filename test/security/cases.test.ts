import { existsSync, readFileSync } from 'node:fs';
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
      expect([number, file, existsSync(join(root, file))]).toEqual([number, file, true]);
      if (file.startsWith('test/security/')) {
        const text = readFileSync(join(root, file), 'utf8');
        expect([number, file, text.includes(`'${number}. `)]).toEqual([number, file, true]);
      }
    }
  }
});
