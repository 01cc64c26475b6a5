import { expect, it } from 'vitest';
import { heldMs, takeLease, whileLeased } from '../../server/db/lease.ts';
import { areDeletionsHeld, holdDeletions } from '../../server/files/store/deletion-hold.ts';
import { describeEngines } from '../support/engines.ts';

const dayMs = 24 * 60 * 60_000;

describeEngines(({ site }) => {
  const ms = 10_000;

  it('a lease is taken only once, also by processes with different clocks, and again once it has expired', async () => {
    const { db } = (await site()).deps;
    const take = (now: number) => takeLease(db, 'backup', { now, ms });
    expect(await take(1_000_000)).toBe(true);
    for (const now of [999_000, 1_000_000, 1_000_001, 1_009_999])
      expect([now, await take(now)]).toEqual([now, false]);
    expect(await take(1_010_000)).toBe(true);
  });

  it('a lease can still be taken after the clock was set back', async () => {
    const { db } = (await site()).deps;
    const take = (now: number) => takeLease(db, 'backup', { now, ms });
    expect(await take(10_000_000)).toBe(true);
    expect(await take(1_000_000)).toBe(true);
  });

  it('deletions are also held for a process whose clock is a little behind', async () => {
    const { deps } = await site();
    const now = deps.clock();
    await holdDeletions(deps, async () => {});
    for (const [ms, isHeld] of [
      [-1_000, true],
      [1, true],
      [heldMs + 1, false],
    ] as const)
      expect([ms, await areDeletionsHeld({ ...deps, clock: () => now + ms })]).toEqual([ms, isHeld]);
  });

  it('a lease is not ended by a process that slept until another one had taken it', async () => {
    const s = await site();
    const { db, clock } = s.deps;
    const held = async () => (await db.selectFrom('leases').selectAll().execute())[0];
    await whileLeased(db, 'backup', clock, async () => {
      s.wait(dayMs);
      expect(await takeLease(db, 'backup', { now: clock(), ms: dayMs }, 'another')).toBe(true);
    });
    expect(await held()).toEqual({ name: 'backup', until: clock() + dayMs, holder: 'another' });
  });

  it('a lease is held while the work goes on, and free after it', async () => {
    const s = await site();
    const { db, clock } = s.deps;
    const order: string[] = [];
    await whileLeased(db, 'backup', clock, async () => {
      await whileLeased(db, 'backup', clock, async () => void order.push('a second time'));
      order.push('once');
    });
    await whileLeased(db, 'backup', clock, async () => void order.push('again'));
    expect(order).toEqual(['once', 'again']);
    // A renewal that is still on its way would take a lease that names its holder.
    expect(await db.selectFrom('leases').select('holder').execute()).toEqual([{ holder: null }]);
  });
});
