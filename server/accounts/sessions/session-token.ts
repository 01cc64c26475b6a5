import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { RequestContext } from '../../access/context.ts';
import { readCookie } from '../../access/cookies.ts';
import { newToken } from '../../base/secrets.ts';
import { readSetting, writeSettingOnce } from '../../db/setting.ts';
import type { Tables } from '../../db/tables.ts';

/** A session's token as its owner holds it: with its HMAC-SHA256, so that a forged one costs no query. */
export function signedToken(secret: string, token: string): string {
  return `${token}.${createHmac('sha256', secret).update(token).digest('base64')}`;
}

/**
 * The session token of a request: the bearer token, or else the cookie. Undefined unless this site has signed
 * it.
 */
export function tokenOfRequest(
  secret: string,
  request: Pick<RequestContext, 'config' | 'requestHeaders'>,
): string | undefined {
  const authorization = request.requestHeaders.get('authorization');
  const given =
    authorization === null ? readCookie(request, 'session') : authorization.replace(/^bearer /i, '');
  if (given === undefined) return undefined;
  // A program may send the raw value of the cookie, in which `%2B`, `%2F` and `%3D` encode `+`, `/` and `=`.
  const signed = given.replace(/%(2B|2F|3D)/gi, escaped => decodeURIComponent(escaped));
  const token = signed.slice(0, Math.max(0, signed.lastIndexOf('.')));
  const expected = Buffer.from(signedToken(secret, token));
  const sent = Buffer.from(signed);
  return expected.length === sent.length && timingSafeEqual(expected, sent) ? token : undefined;
}

/**
 * The secret that signs sessions: made once per site and stored in its database, so that all processes share
 * it.
 */
export async function siteSecret(db: Kysely<Tables>): Promise<string> {
  const known = await readSetting(db, 'secret');
  if (known !== undefined) return known;
  await writeSettingOnce(db, 'secret', newToken(32));
  return await siteSecret(db);
}
