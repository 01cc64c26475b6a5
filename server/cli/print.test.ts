import { expect, it } from 'vitest';
import { printable, printableLine } from './print.ts';

it('a text that is printed cannot control the terminal', () => {
  expect(printable('a\u001b]0;owned\u0007\u009b2Jb\r\u202ec\n\td ‰ ö 👩‍👩‍👧')).toBe(
    'a\\u001b]0;owned\\u0007\\u009b2Jb\\u000d\\u202ec\n\td ‰ ö 👩‍👩‍👧',
  );
  expect(printableLine('walk.md\nNo problems found.')).toBe('walk.md\\u000aNo problems found.');
});
