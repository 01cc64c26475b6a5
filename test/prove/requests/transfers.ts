import { bucketPath, multipart } from '../../support/multipart.ts';
import { zipOf } from '../../support/zip.ts';
import { markdownOf } from '../imports.ts';
import { actor } from '../model/caller.ts';
import { importPath, openTransfer, postOf, type TransferDeed } from '../model/transfer-acts.ts';
import type { DeedOf } from '../steps.ts';
import type { Ask } from '../wire.ts';
import { callBy, type Requests, type Sending } from './request.ts';

/** The requests of imports and exports in the browser. */
export const transferRequests: Requests<TransferDeed> = {
  startExport: sending => callBy(sending, 'startExport', { format: 'markdown' }),
  checkImport: checkingImport,
  startImport: (sending, { transfer }) => {
    const known = sending.world.transfers[transfer];
    return known && callBy(sending, 'startImport', { transferId: known.id });
  },
  endTransfer: (sending, { transfer }) => {
    const known = sending.world.transfers[transfer];
    return known && callBy(sending, 'endTransfer', { transferId: known.id });
  },
};

/** Asks for an archive of one post to be checked, and uploads it before if the check can be allowed. */
async function checkingImport(sending: Sending, { at, by }: DeedOf<'checkImport'>): Promise<Ask> {
  const { world } = sending;
  const asking = actor(world, by, 'admin');
  const isBegun = 'viewer' in asking && !asking.viewer.isByToken && openTransfer(world) === undefined;
  const url = isBegun ? await uploaded(sending, at) : '/files/nothing';
  return callBy(sending, 'checkImport', { source: 'markdown', files: [{ slot: 'archive', url }] });
}

async function uploaded({ world, wire, process, headers }: Sending, at: number): Promise<string> {
  const post = postOf({ name: `x${at}` });
  const bytes = zipOf([{ name: `post-${at}.md`, bytes: Buffer.from(markdownOf(world, post)) }]);
  const init = multipart(bytes, {}, 'application/zip');
  const answer = await wire.send(process, {
    method: 'POST',
    path: bucketPath(importPath(`x${at}`)),
    headers: { ...headers, ...(init.headers as Record<string, string>) },
    body: init.body as Buffer,
  });
  return (JSON.parse(answer.bytes.toString()) as { url?: string }).url ?? '';
}
