import { expect, it } from 'vitest';
import { readRecipients } from './recipients.ts';

it('a pasted list of people to invite is split at lines, commas and semicolons, with and without names', () => {
  const list = 'Ann Kay <Ann@Example.org>, bo@example.org;\n"Cy, no" \n\n <dee@example.org>';
  expect(readRecipients(list)).toEqual({
    recipients: [
      { email: 'ann@example.org', name: 'Ann Kay' },
      { email: 'bo@example.org' },
      { email: 'dee@example.org' },
    ],
    wrong: ['"Cy', 'no"'],
  });
});

it('a pasted list of people to invite contains each address once, without a name that no account can have', () => {
  const long = 'x'.repeat(26);
  expect(readRecipients(`ann@example.org\n${long} <ANN@example.org>`)).toEqual({
    recipients: [{ email: 'ann@example.org' }],
    wrong: [],
  });
});

it('a pasted list of people to invite reports what is no address', () => {
  expect(readRecipients('ann\nann@\n@example.org\nann@example\na b@example.org').wrong).toEqual([
    'ann',
    'ann@',
    '@example.org',
    'ann@example',
    'a b@example.org',
  ]);
});
