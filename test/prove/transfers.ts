import { workOnTransfers } from '../../server/transfers/work.ts';
import type { Location } from '../site.ts';
import { bucketPath, multipart } from '../storage.ts';
import { zipOf } from '../zip.ts';
import { findPost } from './find-lost.ts';
import { markdownOf } from './imports.ts';
import { actor } from './model/caller.ts';
import { importPath, openTransfer, postOf, waitingTransfer, workOnTransfer } from './model/transfer-acts.ts';
import type { World } from './model/world.ts';
import type { Sending } from './perform-ways.ts';
import { asCommand } from './server.ts';
import type { DeedOf } from './steps.ts';
import { type Ask, callOf } from './wire.ts';

const program = new URL('../../server/transfer-process.ts', import.meta.url);

/** Uploads an archive of one post, where that can come to something, and asks for it to be checked. */
export async function checkingImport(
  { world, wire, process, headers }: Sending,
  { at, by }: DeedOf<'checkImport'>,
): Promise<Ask> {
  const asking = actor(world, by, 'admin');
  const isBegun = 'viewer' in asking && !asking.viewer.isByToken && openTransfer(world) === undefined;
  const url = isBegun ? await uploaded({ world, wire, process, headers }, at) : '/files/nothing';
  return callOf('checkImport', { source: 'markdown', files: [{ slot: 'archive', url }] }, headers);
}

async function uploaded(
  { world, wire, process, headers }: Pick<Sending, 'world' | 'wire' | 'process' | 'headers'>,
  at: number,
): Promise<string> {
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

/** Does the import or export that waits, beside the servers and in a process of its own, as a site does. */
export async function workedOn(location: Location, worlds: readonly World[]): Promise<World[]> {
  return await asCommand(location, async deps => {
    const compileCache = process.env.NODE_COMPILE_CACHE;
    await workOnTransfers(deps, { program, niceness: 0, compileCache });
    return await Promise.all(
      structuredClone([...worlds]).map(async world => {
        const waiting = waitingTransfer(world);
        const told = waiting === undefined ? null : await findPost(deps.db, postOf(waiting));
        workOnTransfer(world, told ?? {});
        return world;
      }),
    );
  });
}
