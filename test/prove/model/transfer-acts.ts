import { withoutToken } from './accounts.ts';
import type { Acts, Expectation, Told } from './act.ts';
import { importPost } from './post-acts.ts';
import { knowable, viewerOf } from './rule.ts';
import type { Transfer, World } from './world.ts';

export type TransferDeed = 'startExport' | 'checkImport' | 'startImport' | 'endTransfer';

/**
 * Imports and exports in the browser: admins begin, start and end them, also each other's; one is open at a
 * time.
 */
export const transferActs: Acts<TransferDeed> = {
  startExport: (world, { by, at }, told) =>
    withoutToken(world, by, 'admin', account => {
      if (openTransfer(world) !== undefined) return { refusal: 'already-exists' };
      addTransfer(world, { ...newTransfer(at, account, told), kind: 'export', isDryRun: false });
      return { result: {} };
    }),
  checkImport: (world, { by, at }, told) =>
    withoutToken(world, by, 'admin', account => {
      // While another transfer is open nothing is uploaded (requests/transfers.ts), and a missing file is the
      // first reason to refuse.
      if (openTransfer(world) !== undefined) return { refusal: 'not-found' };
      addTransfer(world, { ...newTransfer(at, account, told), kind: 'import', hasFile: true });
      return { result: {} };
    }),
  startImport: (world, { by, transfer }) =>
    onTransfer(world, by, transfer, (named, account) => {
      if (named.state !== 'checked') return { refusal: 'failed-precondition' };
      Object.assign(named, { state: 'waiting', by: account, isDryRun: false });
      return { result: {} };
    }),
  endTransfer: (world, { by, transfer }) =>
    onTransfer(world, by, transfer, named => {
      if (isOpen(named)) named.state = 'cancelled';
      named.hasFile = false;
      return { result: {} };
    }),
};

const isOpen = ({ state }: Transfer) => state === 'waiting' || state === 'checked';

export function openTransfer(world: World): Transfer | undefined {
  return Object.values(world.transfers).find(isOpen);
}

/** The transfer that runs next. */
export function waitingTransfer(world: World): Transfer | undefined {
  return Object.values(world.transfers).find(({ state }) => state === 'waiting');
}

/** Runs the waiting transfer, which fails if the admin who began it no longer is one. Changes the world. */
export function workOnTransfer(world: World, told: Told): void {
  const transfer = waitingTransfer(world);
  if (transfer === undefined) return;
  const account = world.accounts[transfer.by];
  const viewer = account && viewerOf(world, account);
  if (viewer?.role !== 'admin') {
    Object.assign(transfer, { state: 'failed', hasFile: false });
  } else if (transfer.isDryRun) {
    transfer.state = 'checked';
  } else {
    const isExport = transfer.kind === 'export';
    Object.assign(transfer, { state: 'done', hasFile: isExport });
    if (isExport) transfer.words = [...knowable(world, viewer)];
    if (!isExport) importPost(world, postOf(transfer), told, transfer.by);
  }
}

/** The post in the archive of an import. */
export function postOf({ name }: Pick<Transfer, 'name'>) {
  const post = { type: 'short' as const, tags: ['t1'], isDraft: false };
  return { at: Number(name.slice(1)), do: 'importPost' as const, ...post };
}

/** The path to which the archive of an import is uploaded. */
export const importPath = (transfer: string) => `posts/imports/${transfer.slice(1)}_walks.zip`;

function newTransfer(at: number, by: string, { id = '' }: Told) {
  return { name: `x${at}`, id, by, uploader: by, state: 'waiting' as const, isDryRun: true, hasFile: false };
}

function addTransfer(world: World, transfer: Transfer): void {
  world.transfers[transfer.name] = transfer;
}

function onTransfer(
  world: World,
  by: string,
  name: string,
  act: (transfer: Transfer, account: string) => Expectation,
): Expectation {
  return withoutToken(world, by, 'admin', account => {
    const named = world.transfers[name];
    return named === undefined ? { refusal: 'not-found' } : act(named, account);
  });
}
