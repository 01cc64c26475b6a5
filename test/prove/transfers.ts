import { workOnTransfers } from '../../server/moving/transfers/work.ts';
import type { Location } from '../support/site.ts';
import { findPost } from './find-lost.ts';
import { postOf, waitingTransfer, workOnTransfer } from './model/transfer-acts.ts';
import type { World } from './model/world.ts';
import { asCommand } from './server.ts';

const program = new URL('../../server/transfer-process.ts', import.meta.url);

/** Runs the waiting import or export in a separate process while the servers run, as a site does. */
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
