import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { workOnTransfers } from '../../server/moving/transfers/work.ts';
import { sweepTransfers } from '../../server/moving/transfers/write.ts';
import { describeEngines } from '../support/engines.ts';
import { check, hour, latest, leftIn, markdown, starting, work } from '../support/transfers.ts';

describeEngines(({ siteWithAdmin }) => {
  it('an import claimed by a stopping process is left to the next one', async () => {
    const [s, admin] = await siteWithAdmin();
    await check(s, admin, markdown({ 'a.md': 'A.' }));
    const stopping = new AbortController();
    const clock = () => {
      // It is read while the transfer is taken.
      stopping.abort();
      return s.deps.clock();
    };
    await workOnTransfers({ ...s.deps, clock, stopping: stopping.signal }, starting);
    expect(await latest(s, admin)).toMatchObject({ state: 'running', interruptions: 0 });
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'checked', interruptions: 0 });
  });

  it('an import whose process died continues in the next one, without duplicates', async () => {
    const [s, admin] = await siteWithAdmin();
    const posts = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${index}.md`, `Words ${index}.`]),
    );
    const transferId = await check(s, admin, markdown(posts));
    await work(s);
    await s.call(admin, 'startImport', { transferId });
    // The state that a process leaves when it is killed after some posts, before it could report.
    const stopping = new AbortController();
    const halted = workOnTransfers({ ...s.deps, stopping: stopping.signal }, starting);
    const count = async () => (await s.call(admin, 'listPosts', {})).posts.length;
    await expect.poll(count).toBeGreaterThan(0);
    stopping.abort();
    await halted;
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'done' });
    const rows = await s.deps.db.selectFrom('posts').select('content').execute();
    expect(rows.map(row => row.content).sort()).toEqual(Object.values(posts).sort());
  });

  it('an import in the browser is left to the process that does it by one whose clock is a little slow', async () => {
    const [s, admin] = await siteWithAdmin();
    await check(s, admin, markdown({ 'a.md': 'A.' }));
    const held = { state: 'running', lease: 'of another', leased_until: s.deps.clock() + 30_000 } as const;
    await s.deps.db.updateTable('transfers').set(held).execute();
    const at = async (ms: number) => {
      await workOnTransfers({ ...s.deps, clock: () => s.deps.clock() + ms }, starting);
      const { lease, state } = await s.deps.db
        .selectFrom('transfers')
        .select(['lease', 'state'])
        .executeTakeFirstOrThrow();
      return [state, lease];
    };
    expect(await at(-1_000)).toEqual(['running', 'of another']);
    expect(await at(29_999)).toEqual(['running', 'of another']);
    // If the clock was set back, the lease is over.
    expect(await at(-2 * hour)).toEqual(['checked', null]);
  });

  it('an import that crashes its process five times fails for good', async () => {
    const [s, admin] = await siteWithAdmin();
    await check(s, admin, markdown({ 'a.md': 'A.' }));
    const dying = join(s.config.dataDir, 'dying.mjs');
    await writeFile(dying, "process.on('message', () => process.kill(process.pid, 'SIGKILL'));");
    for (let time = 0; time < 6; time += 1) {
      await workOnTransfers(s.deps, { ...starting, program: pathToFileURL(dying) });
      s.wait(1);
    }
    expect(await latest(s, admin)).toMatchObject({ state: 'failed', error: /^It was interrupted 5 times/ });
  });

  it('an import that crashes the server five times fails for good', async () => {
    const [s, admin] = await siteWithAdmin();
    const id = await check(s, admin, markdown({ 'a.md': 'A.' }));
    // Nobody was left to settle what became of it.
    await s.deps.db
      .updateTable('transfers')
      .set({ state: 'running', lease: 'of a dead server', leased_until: s.deps.clock(), attempts: 5 })
      .where('id', '=', id)
      .execute();
    s.wait(hour);
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'failed', error: /^It was interrupted 5 times/ });
    await sweepTransfers(s.deps);
    expect((await leftIn(s)).files).toEqual([]);
  });
});
