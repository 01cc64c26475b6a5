import { expect, it } from 'vitest';
import { firebaseHash, verifyImported } from './imported-passwords.ts';

// The test vector of Google's own description of its variant of scrypt (firebase/scrypt, README).
const parameters = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memoryCost: 14,
};
const hash = firebaseHash(
  parameters,
  'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
  '42xEC+ixf3L2lw==',
);

it('the password of a Firebase hash is told from any other', async () => {
  expect(await verifyImported(hash, 'user1password')).toBe(true);
  expect(await verifyImported(hash, 'user2password')).toBe(false);
  expect(await verifyImported(hash, '')).toBe(false);
});

it('a hash that says of itself what it is not opens nothing', async () => {
  for (const broken of [
    '$fbscrypt$',
    '$fbscrypt$v=1,n=30,r=8,p=1,ss=,sk=AA==$AA==$AA==',
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=$AA==$',
    // Not base64: an empty key makes an empty hash.
    '$fbscrypt$v=1,n=14,r=8,p=1,ss=,sk=!!$!!$!!',
    '$unknown$hash',
    '$',
  ]) {
    expect([broken, await verifyImported(broken, 'user1password')]).toEqual([broken, false]);
  }
});
