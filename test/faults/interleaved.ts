import assert from 'node:assert/strict';
import { type InterleavedReport, sendInterleaved } from '../support/interleaved-uploads.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

const uploadsAtOnce = 8;

/**
 * Sends uploads through three servers of one site in turn, broken off and doubled. Throws unless each file is
 * what was sent, and the site is well.
 */
export async function runInterleaved(
  place: Place,
  { rounds, random }: { rounds: number; random: () => number },
): Promise<InterleavedReport> {
  const first = await place.site();
  const sites = [first, await place.site(), await place.site()];
  await first.start();
  await first.createAdmin();
  for (const site of sites.slice(1)) await site.start();
  const admin = new Client(first.url);
  await admin.signIn('mina@example.com');
  const sending = { urls: sites.map(site => site.url), headers: admin.credentials, random };
  const total: InterleavedReport = { uploads: 0, broken: 0, doubled: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const names = Array.from({ length: uploadsAtOnce }, (_, index) => `posts/round${round}/${index}.bin`);
    const report = await sendInterleaved(sending, names);
    for (const name of ['uploads', 'broken', 'doubled'] as const) total[name] += report[name];
    for (const name of names) {
      const address = `${first.url}/v0/b/-/o/${encodeURIComponent(name)}`;
      const { status } = await fetch(address, { method: 'DELETE', headers: admin.credentials });
      assert.equal(status, 204);
    }
  }
  assert.match(await first.cli('doctor'), /No problems found/);
  return total;
}
