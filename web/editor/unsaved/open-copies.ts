/**
 * How long a copy that other tabs have waited for is waited for, in milliseconds: they have it for a moment,
 * unless one is suspended.
 */
const sharedMs = 5_000;

/** The copies that editors of this tab have open, or are about to open. */
const held = new Map<string, { isOpen: Promise<boolean>; close(): void }>();

/** Opens a copy, so that no other tab writes to it. Resolves with false if another tab has it open. */
export async function openCopy(key: string): Promise<boolean> {
  const known = held.get(key);
  if (known !== undefined) return await known.isOpen;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  // A browser that stores nothing refuses locks, too, and has no copies.
  const isOpen = lock(key, closed).catch(() => true);
  held.set(key, { isOpen, close });
  if (!(await isOpen)) held.delete(key);
  return await isOpen;
}

export function closeCopy(key: string): void {
  held.get(key)?.close();
  held.delete(key);
}

/**
 * Has a copy open while `act` runs. Resolves with false, and does not run it, if a tab has it open, this one
 * included.
 */
export async function whileOpen(key: string, act: () => Promise<void>): Promise<boolean> {
  if (held.has(key)) return false;
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  // For the editors of this tab it is open elsewhere.
  held.set(key, { isOpen: Promise.resolve(false), close });
  try {
    const isOpen = await lock(key, closed).catch(() => true);
    if (isOpen) await act();
    return isOpen;
  } finally {
    closeCopy(key);
  }
}

/** Waits until no tab has a copy open. Rejects if `signal` ends the wait. */
export async function untilClosed(key: string, signal?: AbortSignal): Promise<void> {
  await locks()?.request(key, { mode: 'shared', ...(signal && { signal }) }, () => {});
}

/** Browsers have Web Locks on https and on localhost only. Elsewhere every copy counts as closed. */
function locks(): LockManager | undefined {
  return (navigator as { locks?: LockManager }).locks;
}

/** Locks a copy until it is `closed`. Resolves with false if another tab has locked it. */
async function lock(key: string, closed: Promise<void>): Promise<boolean> {
  const manager = locks();
  if (manager === undefined) return true;
  const request = (options: LockOptions) =>
    new Promise<boolean>((resolve, reject) => {
      const hold = async (granted: Lock | null) => {
        resolve(granted !== null);
        if (granted !== null) await closed;
      };
      manager.request(key, options, hold).catch(reject);
    });
  if (await request({ ifAvailable: true })) return true;
  const others = (await manager.query()).held ?? [];
  if (others.some(({ name, mode }) => name === key && mode === 'exclusive')) return false;
  // Tabs that have waited for the copy to be closed have shared locks.
  return await request({ signal: AbortSignal.timeout(sharedMs) }).catch(() => false);
}
