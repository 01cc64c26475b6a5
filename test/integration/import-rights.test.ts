import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { setAdmin } from '../../server/accounts/members/roles.ts';
import { runTransfer } from '../../server/moving/transfers/run.ts';
import { importItems, person, post } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { png } from '../support/png.ts';
import { changeUser } from '../support/rows.ts';
import type { Person, Site } from '../support/site.ts';
import { check, latest, leftIn, work } from '../support/transfers.ts';
import { zipOf } from '../support/zip.ts';

const lease = 'the lease of this process';

/**
 * Starts an import of two posts, the first with a picture, which this process holds as a child process would.
 */
async function started(s: Site, admin: Person): Promise<string> {
  const zip = zipOf([
    { name: 'a.md', bytes: Buffer.from('One. ![](a.png)') },
    { name: 'a.png', bytes: png },
    { name: 'b.md', bytes: Buffer.from('Two.') },
  ]);
  const transferId = await check(s, admin, zip);
  await work(s);
  await s.call(admin, 'startImport', { transferId });
  const now = s.deps.clock();
  await s.deps.db
    .updateTable('transfers')
    .set({ state: 'running', lease, leased_until: now + 30_000, began_at: now, attempts: 1 })
    .where('id', '=', transferId)
    .execute();
  return transferId;
}

/**
 * Does an import while nobody looks after it, as under a parent that is frozen. `act` runs once its first
 * picture is stored.
 */
async function runAlone(s: Site, id: string, act: () => Promise<void>): Promise<void> {
  const files = {
    ...s.deps.files,
    put: async (key: string, path: string) => {
      await s.deps.files.put(key, path);
      await act();
    },
  };
  await runTransfer({ ...s.deps, files }, { id, lease });
}

const written = async ({ deps: { db } }: Site) => ({
  posts: await db.selectFrom('posts').select('id').execute(),
  imported: await db.selectFrom('imported').select('source').execute(),
});

describeEngines(({ site, siteWithAdmin }) => {
  it('62. the right to import ends with the role of the admin: nothing is written once the demotion has been answered', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const id = await started(s, admin);
    await runAlone(s, id, () => setAdmin(s.deps, admin.id, false));
    expect(await written(s)).toEqual({ posts: [], imported: [] });
    const { state, error } = await latest(s, other);
    expect({ state, error }).toEqual({
      state: 'failed',
      error: 'It was stopped, because the person who started it is no longer an admin.',
    });
    expect((await leftIn(s)).files).toEqual([]);
  });

  it('62. the right to import ends with the import: nothing is written once its cancellation has been answered', async () => {
    const [s, admin] = await siteWithAdmin();
    const transferId = await started(s, admin);
    await runAlone(s, transferId, async () => {
      await s.call(admin, 'endTransfer', { transferId });
    });
    expect(await written(s)).toEqual({ posts: [], imported: [] });
    expect(await latest(s, admin)).toMatchObject({ state: 'cancelled' });
  });

  it('the right to import ends with the lease: nothing is written by a process whose work another one has taken over', async () => {
    const [s, admin] = await siteWithAdmin();
    const id = await started(s, admin);
    await runAlone(s, id, async () => {
      await s.deps.db.updateTable('transfers').set({ lease: 'of another' }).where('id', '=', id).execute();
    });
    expect(await written(s)).toEqual({ posts: [], imported: [] });
    expect(await latest(s, admin)).toMatchObject({ state: 'running' });
  });

  it('the right to import is asked for by whatever an item writes', async () => {
    const s = await site();
    const author = { names: ['lucy'] as const };
    await importItems(s, [post({ author })]);
    const lucy = await s.member([], 'lucy');
    await changeUser(s, lucy.id, { is_author: true });
    const { email } = await s.deps.db.selectFrom('users').select('email').executeTakeFirstOrThrow();
    const before = await written(s);
    const refuse = async () => {
      throw new RangeError('The right is lost.');
    };
    const items = [
      person('new', {}),
      person('here', { email }),
      post({ author }),
      post({ id: 'two' }),
      { kind: 'settings', about: 'About.' } as const,
    ];
    for (const item of items)
      await expect(importItems(s, [item], { holdRights: refuse })).rejects.toThrow('The right is lost.');
    expect(await written(s)).toEqual(before);
    const { author_id } = await s.deps.db.selectFrom('posts').select('author_id').executeTakeFirstOrThrow();
    expect(author_id).toBe(null);
    expect(await importItems(s, items)).toMatchObject([
      { outcome: 'created' },
      { outcome: 'kept' },
      { outcome: 'updated' },
      { outcome: 'created' },
      { outcome: 'created' },
    ]);
  });

  it('an import approves nobody whose address this site has denied, and makes them no admin', async () => {
    const s = await site();
    for (const name of ['mina', 'lucy']) {
      const { id } = await s.signUp(name);
      await denyUser(s.deps, id);
      await s.deps.db.deleteFrom('users').where('id', '=', id).execute();
    }
    const items = [
      person('mina', { email: 'mina+walks@example.com' }),
      person('lucy', { isAdmin: true }),
      person('john', { isAdmin: true }),
    ];
    const dry = await importItems(s, items, { isDryRun: true });
    const outcomes = await importItems(s, items);
    expect(outcomes).toEqual(dry);
    const told = (name: string) => `${name} waits for approval: this email address was denied here`;
    expect(outcomes.map(({ notes }) => notes.at(-1))).toEqual([
      told('mina'),
      told('lucy'),
      'john is an admin, as there',
    ]);
    const users = s.deps.db
      .selectFrom('users')
      .select(['username', 'status', 'is_admin'])
      .orderBy('username');
    expect((await users.execute()).map(row => ({ ...row, is_admin: Boolean(row.is_admin) }))).toEqual([
      { username: 'john', status: 'approved', is_admin: true },
      { username: 'lucy', status: 'pending', is_admin: false },
      { username: 'mina', status: 'pending', is_admin: false },
    ]);
  });
});
