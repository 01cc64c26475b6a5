import { TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { newSecret, stepOf } from './codes.ts';

it('a code has the step in which it was made, also where the next one begins while it is looked at', () => {
  const secret = newSecret();
  const [lastOfStep, firstOfNext] = [999 * 30_000 + 29_999, 1_000 * 30_000];
  const code = new TOTP({ secret }).generate({ timestamp: lastOfStep });
  const times = [lastOfStep];
  expect(stepOf(secret, code, { clock: () => times.shift() ?? firstOfNext })).toBe(999);
});
