import { expect, it } from 'vitest';
import type { Deps } from '../../server/deps.ts';
import { runTransfer } from '../../server/moving/transfers/run.ts';
import { describeEngines } from '../support/engines.ts';
import type { Person, Site } from '../support/site.ts';
import { check, hour, latest, leftIn, markdown, work } from '../support/transfers.ts';

type Kind = 'an import' | 'an export of the whole site' | 'an export of the posts';
const begin: Record<Kind, (s: Site, admin: Person) => Promise<string>> = {
  'an import': (s, admin) => check(s, admin, markdown({ 'a.md': 'A.' })),
  'an export of the whole site': async (s, admin) =>
    (await s.call(admin, 'startExport', { format: 'archive' })).transferId,
  'an export of the posts': async (s, admin) =>
    (await s.call(admin, 'startExport', { format: 'markdown' })).transferId,
};

/**
 * Works on a transfer as a process that stands still in the middle, with its files on the disk. `wake` lets
 * it go on; it resolves once it has ended.
 */
async function standStill({ deps }: Site, id: string): Promise<{ wake: () => Promise<void> }> {
  const lease = 'of a dead server';
  const held = { state: 'running', lease, leased_until: deps.clock() } as const;
  await deps.db.updateTable('transfers').set(held).where('id', '=', id).execute();
  const [reached, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stop = async () => {
    reached.resolve();
    await woken.promise;
  };
  const files: Deps['files'] = {
    ...deps.files,
    put: async (...file) => {
      await stop();
      await deps.files.put(...file);
    },
    read: async function* (...file) {
      yield* deps.files.read(...file);
      await stop();
    },
  };
  const running = runTransfer({ ...deps, files }, { id, lease });
  await Promise.race([reached.promise, running]);
  return {
    wake: async () => {
      woken.resolve();
      await running;
    },
  };
}

describeEngines(({ siteWithAdmin }) => {
  it.each(Object.keys(begin) as Kind[])(
    'what a process has left that was killed with the whole server does not keep %s from being done by the next',
    async kind => {
      const [s, admin] = await siteWithAdmin();
      const id = await begin[kind](s, admin);
      const { wake } = await standStill(s, id);
      expect((await leftIn(s)).uploads).toHaveLength(1);
      s.wait(hour);
      await work(s);
      const { state, error } = await latest(s, admin);
      expect({ state, error }).toEqual({ state: kind === 'an import' ? 'checked' : 'done', error: null });
      expect((await leftIn(s)).uploads).toEqual([]);
      await wake();
      expect(await latest(s, admin)).toMatchObject({ state, error: null });
    },
  );
});
