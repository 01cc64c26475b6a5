import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { Cache } from '../../server/db/changes/cache.ts';
import type { Tables } from '../../server/db/tables.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { openSite } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin, location }) => {
  const text = { sizeOf: (value: string) => value.length };

  it('a cache drops entries that were made from something that changed, and keeps the rest', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(s, admin, shortPost('one'), shortPost('two'));
    const cache = new Cache<string>(s.deps.changes, text);
    const get = async (id = '') => {
      await s.deps.changes.caughtUp();
      return await cache.get(id, async dependsOn => {
        const { post } = await s.call(admin, 'getPost', { postId: id });
        dependsOn(`post:${id}`);
        return post.content;
      });
    };
    expect([await get(ids[0]), await get(ids[1])]).toEqual(['one', 'two']);
    await s.call(admin, 'updatePost', { ...shortPost('new'), postId: ids[0] ?? '' });
    await s.call(admin, 'setLike', { postId: ids[1] ?? '', liked: true });
    await s.deps.changes.caughtUp();
    expect([cache.peek(ids[0] ?? ''), cache.peek(ids[1] ?? '')]).toEqual([undefined, 'two']);
    expect(await get(ids[0])).toBe('new');
  });

  it('a cache does not keep a value that changed while it was made, and does not return it to callers after the change', async () => {
    const s = await site();
    const { changes, db } = s.deps;
    const cache = new Cache<string>(changes, text);
    const mayEnd = Promise.withResolvers<void>();
    const first = cache.get('about', async dependsOn => {
      await mayEnd.promise;
      // Only now it says what it was made from.
      dependsOn('settings');
      return 'before';
    });
    await changes.caughtUp();
    await db.insertInto('settings').values({ name: 'about', value: 'x' }).execute();
    await changes.caughtUp();
    const second = cache.get('about', async () => 'after');
    mayEnd.resolve();
    expect(await first).toBe('before');
    expect(await second).toBe('after');
    expect(cache.peek('about')).toBe('after');
  });

  it('a cache makes a value anew after a write of this process, in a transaction or not', async () => {
    const s = await site();
    const { changes, db } = s.deps;
    const cache = new Cache<string>(changes, text);
    const write = (at: Kysely<Tables>, value: string) =>
      at
        .insertInto('settings')
        .values({ name: 'about', value })
        .onConflict(conflict => conflict.column('name').doUpdateSet({ value }))
        .execute();
    const read = () =>
      cache.get('about', async dependsOn => {
        dependsOn('settings');
        const row = await db
          .selectFrom('settings')
          .select('value')
          .where('name', '=', 'about')
          .executeTakeFirst();
        return row?.value ?? 'nothing';
      });
    await changes.caughtUp();
    expect(await read()).toBe('nothing');
    await write(db, 'alone');
    expect(await read()).toBe('alone');
    await db.transaction().execute(trx => write(trx, 'together'));
    expect(await read()).toBe('together');
  });

  it('a cache keeps a value for as long as its age allows, and not at all for no time', async () => {
    const s = await openSite(await location());
    const maxAgeMs = (value: string) => (value === 'kept' ? 3_600_000 : 0);
    const cache = new Cache<string>(s.deps.changes, { ...text, maxAgeMs });
    await s.deps.changes.caughtUp();
    for (const name of ['kept', 'not kept']) expect(await cache.get(name, async () => name)).toBe(name);
    expect([cache.peek('kept'), cache.peek('not kept')]).toEqual(['kept', undefined]);
    await s.close();
  });

  it('a cache makes a value once for many callers', async () => {
    const s = await openSite(await location());
    const cache = new Cache<string>(s.deps.changes, text);
    await s.deps.changes.caughtUp();
    let made = 0;
    const get = () =>
      cache.get('x', async () => {
        made += 1;
        return 'x';
      });
    expect(await Promise.all([get(), get(), get()])).toEqual(['x', 'x', 'x']);
    expect(made).toBe(1);
    await s.close();
  });
});
