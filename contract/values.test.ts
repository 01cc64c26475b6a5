import { expect, it } from 'vitest';
import { FullName } from './accounts/sign-in.ts';
import { operations } from './operations.ts';
import { TagName } from './tags.ts';

/** Marks in an order that normalisation must change: sorting 100,000 of them took seven seconds. */
const marks = `a${'\u0301'.repeat(50_000)}${'\u0323'.repeat(50_000)}`;

it('68. a name that is too long is refused before it is normalised, which takes time with the square of its length', () => {
  const { input } = operations.createAccessToken;
  // In its normal form, without the spaces around it, the second one would be short enough.
  for (const name of [marks, `${' '.repeat(1_000)}Mina Harker`]) {
    expect(FullName.safeParse(name).success).toBe(false);
    expect(TagName.safeParse(name).success).toBe(false);
    expect(input.safeParse({ name }).success).toBe(false);
  }
  expect(input.safeParse({ name: 'Mina Harker' }).success).toBe(true);
});

it('a name that is too long only before it is normalised is accepted', () => {
  expect(TagName.parse(`  ${'e\u0301'.repeat(50)}  `)).toBe('é'.repeat(50));
});
