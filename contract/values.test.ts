import { expect, it } from 'vitest';
import { FullName } from './accounts/sign-in.ts';
import { operations } from './operations.ts';
import { TagName } from './tags.ts';

/** Marks in the wrong order, which the normal form has to sort: 100,000 of them took seven seconds. */
const marks = `a${'\u0301'.repeat(50_000)}${'\u0323'.repeat(50_000)}`;

it('68. refuses long names before they get their normal form, which takes the square of their length', () => {
  const { input } = operations.createAccessToken;
  // In its normal form, without the spaces around it, the second one would be short enough.
  for (const name of [marks, `${' '.repeat(1_000)}Mina Harker`]) {
    expect(FullName.safeParse(name).success).toBe(false);
    expect(TagName.safeParse(name).success).toBe(false);
    expect(input.safeParse({ name }).success).toBe(false);
  }
  expect(input.safeParse({ name: 'Mina Harker' }).success).toBe(true);
});

it('takes a name that is long only until it has its normal form', () => {
  expect(TagName.parse(`  ${'e\u0301'.repeat(50)}  `)).toBe('é'.repeat(50));
});
