import type { Kysely } from 'kysely';
import { expect, it } from 'vitest';
import { askForPost } from '../../server/access-requests/ask.ts';
import { decideUsers } from '../../server/accounts/members/decide.ts';
import { Outage, outages } from '../../server/db/outage.ts';
import type { Tables } from '../../server/db/tables.ts';
import { expandAnnouncement } from '../../server/mail/announce.ts';
import { deliverWebhooks } from '../../server/mail/deliver-lanes.ts';
import { stillReadable } from '../../server/mail/wishes/digests.ts';
import { readablePost, readerOf } from '../../server/mail/wishes/prepare.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import type { Site } from '../support/site.ts';

/** The same database, but each query whose first table is this one ends with an outage. */
function brokenTable(db: Kysely<Tables>, table: keyof Tables, breaks = () => true): Kysely<Tables> {
  return db.withPlugin({
    transformQuery: ({ node }) => {
      const [first] = node.kind === 'SelectQueryNode' ? (node.from?.froms ?? []) : [];
      const name = first?.kind === 'TableNode' && 'table' in first ? JSON.stringify(first.table) : '';
      if (name.includes(`"${table}"`) && breaks()) throw new Outage(outages.gone, new Error('terminated'));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

const user = async ({ deps }: Site, id: string) =>
  await deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

describeEngines(({ site, siteWithAdmin }) => {
  it('a mail about a comment fails in an outage, so that it is tried again', async () => {
    const s = await site();
    const [admin, lucy] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, essay());
    const broken = { ...s.deps, db: brokenTable(s.deps.db, 'posts') };
    const viewer = await readerOf(s.deps, await user(s, lucy.id));
    await expect(readablePost(broken, viewer, postId)).rejects.toThrow(outages.gone);
    expect(await readablePost(s.deps, viewer, postId)).toMatchObject({ id: postId });
  });

  it('a digest leaves no post out because of an outage', async () => {
    const s = await site();
    const [admin, lucy] = [await s.admin(), await s.member()];
    const ids = await publish(s, admin, essay());
    const broken = { ...s.deps, db: brokenTable(s.deps.db, 'posts') };
    const viewer = await readerOf(s.deps, await user(s, lucy.id));
    expect(await stillReadable(s.deps, viewer, ids)).toHaveLength(1);
    await expect(stillReadable(broken, viewer, ids)).rejects.toThrow(outages.gone);
  });

  it('a webhook is told of a post after an outage', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'addWebhook', {
      format: 'json',
      events: ['post'],
      name: 'A program',
      url: 'https://example.org/hook',
    });
    await publish(s, admin, essay());
    const states = async () =>
      await s.deps.db.selectFrom('mails').select('state').where('kind', '=', 'post').execute();
    const broken = { ...s.deps, db: brokenTable(s.deps.db, 'posts') };
    while (await expandAnnouncement(s.deps));
    await expect(deliverWebhooks(broken)).rejects.toThrow(outages.gone);
    expect(await states()).toEqual([{ state: 'queued' }]);
  });

  it('nobody is told that a request is kept which an outage has prevented', async () => {
    const s = await site();
    const [admin, lucy] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    const viewer = await readerOf(s.deps, await user(s, lucy.id));
    const broken = { ...s.deps, db: brokenTable(s.deps.db, 'posts') };
    await expect(askForPost(broken, viewer, { postId, word: '' })).rejects.toThrow(outages.gone);
  });

  it('decisions about many accounts are all taken back by an outage, and the caller is told', async () => {
    const s = await site();
    const people = [await s.signUp(), await s.signUp()];
    let asked = 0;
    const db = brokenTable(s.deps.db, 'users', () => {
      asked += 1;
      return asked === 2;
    });
    const decisions = people.map(({ id }) => ({ userId: id, decision: 'approve' as const }));
    await expect(decideUsers({ ...s.deps, db }, decisions)).rejects.toThrow(outages.gone);
    for (const { id } of people) expect(await user(s, id)).toMatchObject({ status: 'pending' });
  });
});
