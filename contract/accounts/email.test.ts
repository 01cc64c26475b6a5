import { expect, it } from 'vitest';
import { Email, normalEmail } from './email.ts';

it.each([
  [' Mina@Example.COM ', 'mina@example.com'],
  ['kontakt@Müller.de', 'kontakt@xn--mller-kva.de'],
  ['kontakt@mu\u0308ller.de', 'kontakt@xn--mller-kva.de'],
  ['kontakt@xn--mller-kva.de', 'kontakt@xn--mller-kva.de'],
  ['kontakt@XN--MLLER-KVA.DE', 'kontakt@xn--mller-kva.de'],
  ['info@例え。jp', 'info@xn--r8jz45g.jp'],
  ['mina@ｅｘａｍｐｌｅ.com', 'mina@example.com'],
])('%s is the address %s', (written, email) => {
  expect(Email.parse(written)).toBe(email);
  expect(normalEmail(email)).toBe(email);
});

it.each([
  'mina',
  'mina@localhost',
  'mina@exa mple.com',
  'mina@１２７.0.0.1',
  'mina@müller.de/x',
  'mina@müller.de:25',
  'mina@me@müller.de',
  '"mina"@example.com',
  'mi\u202ena@example.com',
  'mina@\u200b.de',
  '.mina@example.com',
  'mi..na@example.com',
  'mina@no-address.invalid',
  `${'ü'.repeat(250)}@example.com`,
  'a'.repeat(1_000_000),
])('%s is no address', written => {
  expect(Email.safeParse(written).success).toBe(false);
});

it.each([
  ['müller@example.com', /^Before its @/],
  ['用户@例え.jp', /^Before its @/],
  ['mina@пример.рф', /^The last part/],
  ['mi\u202ena@example.com', /^Please enter a valid/],
  ['mina', /^Please enter a valid/],
  ['mina@example', /^Please enter a valid/],
])('%s is refused with a sentence that says what is wrong', (written, sentence) => {
  expect(Email.safeParse(written).error?.issues[0]?.message).toMatch(sentence);
});
