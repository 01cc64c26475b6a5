import { expect, it } from 'vitest';
import { readConfig } from '../../config.ts';
import { signedToken, tokenOfRequest } from './session-token.ts';

const secret = 'the secret of a site';
const token = 'Zk3vQ0mZ7bq4f1yN8sTjXr2LwDaEoPuC';
/** A cookie of a site of the first versions, whose sessions better-auth 1.7.6 signed. */
const older = 'Zk3vQ0mZ7bq4f1yN8sTjXr2LwDaEoPuC.2DHJGdoKWejouwMh5uVFpnbXweni6BPVUBbmWR%2BWGKU%3D';

const tokenOf = (headers: Record<string, string>, config = readConfig({})) =>
  tokenOfRequest(secret, { config, requestHeaders: new Headers(headers) });

it('a session of the first versions goes on, by its cookie and as a bearer token', () => {
  expect(tokenOf({ cookie: `coterie-session=${older}` })).toBe(token);
  for (const sent of [older, decodeURIComponent(older)])
    expect(tokenOf({ authorization: `Bearer ${sent}` })).toBe(token);
  expect(signedToken(secret, token)).toBe(decodeURIComponent(older));
});

it('over https only the cookie counts that no other host can set', () => {
  const config = readConfig({ PUBLIC_URL: 'https://blog.example' });
  expect(tokenOf({ cookie: `__Host-coterie-session=${older}` }, config)).toBe(token);
  expect(tokenOf({ cookie: `coterie-session=${older}` }, config)).toBeUndefined();
});

it('an unsigned token is refused', () => {
  for (const made of [
    token,
    `${token}.`,
    `${older}x`,
    older.toLowerCase(),
    signedToken('another secret', token),
    '%',
    '',
  ]) {
    expect([made, tokenOf({ cookie: `coterie-session=${made}` })]).toEqual([made, undefined]);
    expect([made, tokenOf({ authorization: `Bearer ${made}` })]).toEqual([made, undefined]);
  }
});

it('a bearer token decides, whatever the cookie says', () => {
  expect(tokenOf({ cookie: `coterie-session=${older}`, authorization: 'Bearer x' })).toBeUndefined();
});
