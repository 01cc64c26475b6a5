import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cases } from './cases.ts';

const root = join(import.meta.dirname, '../..');

it('every case of the security plan has a test, a reason, or a part that it waits for', () => {
  const numbers = Array.from({ length: 74 }, (_, index) => index + 1);
  expect(Object.keys(cases).map(Number)).toEqual(numbers);
  for (const number of numbers) {
    const { by, reason, waits } = cases[number] ?? {};
    expect([number, by ?? reason ?? waits]).not.toEqual([number, undefined]);
    if (by === undefined) continue;
    expect([number, by, existsSync(join(root, by))]).toEqual([number, by, true]);
    if (by.startsWith('test/security/')) {
      expect(readFileSync(join(root, by), 'utf8')).toContain(`'${number}. `);
    }
  }
});
