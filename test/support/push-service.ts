import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

type Push = { path: string; headers: Record<string, unknown>; body: Buffer };

/**
 * A push service on the loopback, and browsers that read what it passes on: written from RFC 8188, 8291 and
 * 8292, without the library that the site uses.
 */
export async function startPushService() {
  const pushes: Push[] = [];
  const statusOf = new Map<string, number>();
  const held = new Set<string>();
  const released = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    pushes.push({ path, headers: request.headers, body: Buffer.concat(await request.toArray()) });
    if (held.has(path)) await released.promise;
    response.writeHead(statusOf.get(path) ?? 201).end();
  });
  await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  /** A browser that has subscribed, and what it was told since it was last asked. */
  const browser = (path: string) => {
    const [curve, auth] = [createECDH('prime256v1'), randomBytes(16)];
    const p256dh = curve.generateKeys();
    return {
      endpoint: `${url}${path}`,
      keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
      told: (publicKey: string): unknown[] => {
        const own = pushes.filter(push => push.path === path);
        for (const push of own) pushes.splice(pushes.indexOf(push), 1);
        return own.map(({ body, headers }) => {
          expectSigned(String(headers.authorization), publicKey, url);
          return JSON.parse(decrypted(body, { curve, p256dh, auth }));
        });
      },
    };
  };
  return {
    browser,
    answer: (path: string, status: number) => statusOf.set(path, status),
    /** Answers pushes to this path only once they are released. */
    hold: (path: string) => held.add(path),
    release: () => released.resolve(),
    /** How many pushes nobody has looked at. */
    waiting: () => pushes.length,
  };
}

type Keys = { curve: ReturnType<typeof createECDH>; p256dh: Buffer; auth: Buffer };

function decrypted(body: Buffer, { curve, p256dh, auth }: Keys): string {
  const [salt, idLength] = [body.subarray(0, 16), body.readUInt8(20)];
  const [sender, sealed] = [body.subarray(21, 21 + idLength), body.subarray(21 + idLength)];
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, sender]);
  const derive = (key: Buffer, by: Buffer, about: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', key, by, about, length));
  const secret = derive(curve.computeSecret(sender), auth, info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // The text ends with a byte that is 2, behind which are zeros.
  return padded.subarray(0, padded.lastIndexOf(2)).toString();
}

/** Throws unless a header holds a token for this service, signed by the key that browsers were told. */
function expectSigned(authorization: string, publicKey: string, audience: string): void {
  const [, token = '', key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(half => half.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  if (!isSigned || key !== publicKey || aud !== audience)
    throw new Error(`A push is not signed for its service: ${authorization}`);
}
