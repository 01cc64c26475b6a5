import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clearWebm } from './webm.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coterie-test-'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

const secret = 'Secretcamera +48.2082+016.3738/';
/** An element with its length in as few bytes as it takes, or in eight, or unknown. */
const element = (id: number, body: Buffer | string, form: 'short' | 'long' | 'unknown' = 'short') => {
  const bytes = Buffer.from(body);
  const head = Buffer.from(id.toString(16), 'hex');
  const long = Buffer.alloc(8);
  long.writeUIntBE(bytes.length, 2, 6);
  long[0] = 1;
  const short = Buffer.from(bytes.length < 127 ? [0x80 | bytes.length] : [0x40, bytes.length]);
  const length = { short: bytes.length < 256 ? short : long, long, unknown: Buffer.from([0xff]) }[form];
  return Buffer.concat([head, length, bytes]);
};

/** A film as cameras and programs write it, or as a browser does while it records. */
function film(isLive: boolean): Buffer {
  const form = isLive ? 'unknown' : 'long';
  const title = element(0x7ba9, secret);
  const info = element(
    0x1549a966,
    Buffer.concat([title, element(0x4461, secret.slice(0, 8)), element(0x4d80, 'app')]),
  );
  const blocks = Array.from({ length: 300 }, (_, index) =>
    element(0xa3, `PICTURE ${index}`.padEnd(400, '.')),
  );
  const cluster = element(0x1f43b675, Buffer.concat([element(0xe7, '\0'), ...blocks]), form);
  const tags = element(0x1254c367, element(0x7373, secret.repeat(isLive ? 1 : 9)));
  const attached = element(0x1941a469, secret.repeat(40));
  const parts = [info, cluster, cluster, tags, attached, element(0x1c53bb6b, 'CUES')];
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, 'webm')),
    element(0x18538067, Buffer.concat(parts), form),
  ]);
}

async function cleared(bytes: Buffer): Promise<{ isChanged: boolean; stored: Buffer }> {
  const path = join(folder, 'film');
  await writeFile(path, bytes);
  return { isChanged: await clearWebm(path), stored: await readFile(path) };
}

it.each([true, false])('takes what a camera wrote out of a WebM film, recorded live: %s', async isLive => {
  const received = film(isLive);
  const { isChanged, stored } = await cleared(received);
  expect([isChanged, stored.length]).toEqual([true, received.length]);
  for (const part of ['Secret', '48.2082']) expect([part, stored.includes(part)]).toEqual([part, false]);
  // What plays is where it was.
  for (const part of ['webm', 'app', 'PICTURE 0', 'PICTURE 299', 'CUES']) {
    expect([part, stored.lastIndexOf(part)]).toEqual([part, received.lastIndexOf(part)]);
  }
  expect(await cleared(stored)).toEqual({ isChanged: false, stored });
  // What has gone is skipped as a whole: what stands behind it all is found.
  const more = await cleared(Buffer.concat([stored, element(0x1254c367, secret)]));
  expect([more.isChanged, more.stored.includes('Secret')]).toEqual([true, false]);
  expect(more.stored.subarray(0, stored.length).equals(stored)).toBe(true);
});

it('ends at once, and changes no length, whatever a film says of itself', async () => {
  const whole = film(true);
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  for (let round = 0; round < 60; round += 1) {
    const bytes = Buffer.from(whole.subarray(0, round % 3 === 0 ? random(whole.length) : whole.length));
    for (let hit = 0; hit < 4 && bytes.length > 4; hit += 1)
      bytes[random(Math.min(bytes.length, 200))] = random(256);
    const { stored } = await cleared(bytes);
    expect(stored.length).toBe(bytes.length);
  }
});

it('a film with more descriptions than any film has is refused: the rest of them would stay', async () => {
  const described = (times: number) =>
    Buffer.concat(Array.from({ length: times }, () => element(0x1254c367, secret)));
  const few = await cleared(described(1_000));
  expect([few.isChanged, few.stored.includes('Secret')]).toEqual([true, false]);
  await expect(cleared(described(1_001))).rejects.toThrow(/film or recording has too many parts/);
});
