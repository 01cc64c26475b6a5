import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, inject, it } from 'vitest';
import { seedSite } from '../../bench/seed/seed.ts';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { examine } from '../../server/cli/examine.ts';
import { openBare } from '../../server/db/connect.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import { columnsOf, listTables } from '../../server/db/table-columns.ts';
import { webhookMails } from '../../server/mail/webhooks/queue.ts';
import { queueMail } from '../../server/mail/write.ts';
import { readBackupState } from '../../server/moving/archive/backup-state.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { archivedTables, treatments } from '../../server/moving/archive/tables.ts';
import { verifyArchive } from '../../server/moving/archive/verify.ts';
import { describeEngines, type Engine } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { createDatabase, dropDatabase } from '../support/postgres.ts';
import { type Location, openSite, type Person, refusal, type Site } from '../support/site.ts';
import { storeFile } from '../support/storage.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A place without a site, on the engine. */
async function emptyPlace(engine: Engine, dataDir: string): Promise<Location> {
  if (engine === 'sqlite') return { dataDir, databaseUrl: undefined };
  const databaseUrl = await createDatabase(inject('postgresUrl'));
  cleanups.push(() => dropDatabase(databaseUrl));
  return { dataDir, databaseUrl };
}

/** A site with some of everything. */
async function fill(
  s: Site,
  video = Buffer.alloc(2_000_000, 'video'),
): Promise<{ admin: Person; member: Person }> {
  const [admin, member] = [await s.admin(), await s.member(['friends'])];
  await seedSite(s.deps.db, {
    posts: 40,
    members: 10,
    tags: 8,
    comments: 30,
    likes: 60,
    randomSeed: 1,
    isForced: true,
  });
  const content = await attach(s, admin, 'a.bin', video);
  const same = await attach(s, admin, 'b.bin', video);
  const small = await attach(s, admin, 'c.txt', Buffer.from('A few words.'));
  const [postId = ''] = await publish(
    s,
    admin,
    essay({ content, tags: ['friends'], title: 'Ünïcödé \u2028 "quoted" \\ and 🌋' }),
    essay({ content: same }),
    essay({ content: small, isDraft: true }),
  );
  await s.call(member, 'setLike', { postId, liked: true });
  await s.call(member, 'addComment', { postId, content: 'Line one\nline two', key: 'abcdefghijklmnop' });
  await s.call(member, 'setSubscription', { subscribed: true });
  await s.call(member, 'noteOpened', { postIds: [postId] });
  await s.deps.db.insertInto('openings').values({ post_id: postId, times: 12 }).execute();
  await s.call(member, 'setReadingSettings', { showsPast: true });
  await s.makeToken(admin);
  await s.setDefaultTags(['friends']);
  return { admin, member };
}

async function attach(s: Site, admin: Person, name: string, bytes: Buffer): Promise<string> {
  const { url } = await storeFile(s.deps, { name, bytes, uploaderId: admin?.id ?? '' });
  return `With a [file](${url}).`;
}

/** What an archive says of every table and file, apart from when and where it was made. */
async function contentOf(file: string) {
  const { manifest } = await verifyArchive(await archiveFile(file));
  return { kinds: manifest.kinds, files: manifest.files, missing: manifest.missing, site: manifest.site };
}

/** An admin whom no archive holds. */
async function administer(s: Site): Promise<Person> {
  const person = await s.signUp('newcomer');
  await makeAdmin(s.deps, person.id);
  return person;
}

/** What is shown to a visitor and to somebody signed in anew. */
async function surfacesOf(s: Site) {
  const admin = await administer(s);
  const answers = [];
  for (const as of [null, admin]) {
    answers.push(await s.call(as, 'getPosts', { page: 1 }), await s.call(as, 'getTags', {}));
  }
  const feed = await (await s.request('/feed.xml')).text();
  const found = await s.call(admin, 'listPosts', { search: 'unicode' });
  return JSON.parse(JSON.stringify({ answers, feed, found }));
}

describeEngines(({ site, siteWithAdmin, location, engine }) => {
  const other = engine === 'sqlite' ? 'postgres' : 'sqlite';

  it('67. an archive restores a site that was saved during writes', async () => {
    const [s, admin] = await siteWithAdmin();
    const members = [await s.member(), await s.member(), await s.member()];
    let isWriting = true;
    let written = 0;
    const write = async () => {
      for (; isWriting && written < 100; written += 1) {
        const content = await attach(s, admin, 'a.txt', Buffer.from(`file ${written}`));
        const [postId = ''] = await publish(s, admin, essay({ content }));
        for (const member of members) await s.call(member, 'setLike', { postId, liked: true });
        if (written % 3 === 2) await s.call(admin, 'deletePost', { postId });
      }
    };
    const writing = write();
    while (written < 5) await new Promise(resolve => setImmediate(resolve));
    const { path, manifest } = await exportSite(s.deps, join(s.config.dataDir, 'backups', 'saved.tar'));
    isWriting = false;
    await writing;
    expect(manifest.missing).toEqual([]);
    expect((await verifyArchive(await archiveFile(path))).manifest).toEqual(manifest);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await expect(exportSite(s.deps, path)).rejects.toThrow('exists already');
    await expect(restoreSite(s.config, await archiveFile(path))).rejects.toThrow('not empty');

    const place = await location();
    const dataDir = join(place.dataDir, 'somewhere', 'restored');
    await restoreSite({ ...s.config, ...place, dataDir }, await archiveFile(path));
    // Who reads the data folder owns the site.
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    const restored = await openSite({ ...place, dataDir });
    try {
      expect(await examine(restored.deps)).toEqual([]);
      const posts = await restored.deps.db.selectFrom('posts').select('id').execute();
      expect(posts.length).toBe(manifest.kinds.posts?.rows);
      expect(posts.length).toBeGreaterThanOrEqual(3);
      // What is written next gets numbers that nothing has.
      await publish(restored, await administer(restored), essay({ tags: ['new to this site'] }));
      expect(await examine(restored.deps)).toEqual([]);
    } finally {
      await restored.close();
    }
  });

  it('an archive moves a site to the other engine and back with every row, file and answer unchanged', async () => {
    const s = await site();
    await fill(s);
    const before = await exportSite(s.deps, join(s.config.dataDir, 'before.tar'));
    const shown = await surfacesOf(s);

    const there = await emptyPlace(other, join(s.config.dataDir, 'there'));
    const keepsAccess = true;
    await restoreSite({ ...s.config, ...there }, await archiveFile(before.path), { keepsAccess });
    const moved = await openSite(there);
    cleanups.push(moved.close);
    expect(dialectOf(moved.deps.db).engine).toBe(other);
    expect(await examine(moved.deps)).toEqual([]);
    const between = await exportSite(moved.deps, join(s.config.dataDir, 'between.tar'));
    expect(await surfacesOf(moved)).toEqual(shown);

    const back = await emptyPlace(engine, join(s.config.dataDir, 'back'));
    await restoreSite({ ...s.config, ...back }, await archiveFile(between.path), { keepsAccess });
    const returned = await openSite(back);
    cleanups.push(returned.close);
    expect(await examine(returned.deps)).toEqual([]);
    const after = await exportSite(returned.deps, join(s.config.dataDir, 'after.tar'));

    expect(await contentOf(between.path)).toEqual(await contentOf(before.path));
    expect(await contentOf(after.path)).toEqual(await contentOf(before.path));
    // The same video twice is in it once.
    expect(before.manifest.files.count).toBe(2);
    expect(before.manifest.kinds.stored?.rows).toBe(3);
  });

  it('a restore revokes tokens, invitations, secret addresses and webhooks, unless they are to be kept', async () => {
    const s = await site();
    const { admin } = await fill(s);
    await s.call(admin, 'createInvitations', { tags: ['friends'], for: { uses: 3 } });
    const address = { user_id: admin?.id ?? '', digest: 'a-digest', created_at: 0 };
    await s.deps.db
      .insertInto('personal_feeds')
      .values({ ...address, last_used_at: null })
      .execute();
    await s.deps.db
      .insertInto('post_addresses')
      .values({ ...address, publishes: true })
      .execute();
    const kinds = ['invitation', 'reset', 'confirm', 'sign-in', 'approved'] as const;
    await s.deps.db.deleteFrom('mails').execute();
    const queued = {
      user_id: admin?.id ?? '',
      data: '{}',
      state: 'queued' as const,
      due_at: 0,
      created_at: 0,
    };
    const rows = kinds.map(kind => ({ id: kind, once: kind, kind, ...queued }));
    await s.deps.db.insertInto('mails').values(rows).execute();
    const url = 'https://ntfy.example/family';
    await s.call(admin, 'addWebhook', { name: 'Our phones', format: 'ntfy', url, events: ['waiting'] });
    await queueMail(s.deps.db, s.deps.clock(), ...(await webhookMails(s.deps.db, 'waiting', 'an-hour')));
    // Such a link of the running site opens an account to who reads the archive, so it is not even in it.
    const data = { token: 'a-link-that-works', linkDigest: 'its-digest' };
    await queueMail(s.deps.db, s.deps.clock(), { kind: 'sign-in', userId: admin?.id ?? '', data });
    const { path, manifest } = await exportSite(s.deps, join(s.config.dataDir, 'saved.tar'));
    const left = async (keepsAccess: boolean) => {
      const place = await emptyPlace(engine, join(s.config.dataDir, `kept ${keepsAccess}`));
      await restoreSite({ ...s.config, ...place }, await archiveFile(path), { keepsAccess });
      await using db = openBare({ ...s.config, ...place });
      const tokens = await db.selectFrom('access_tokens').select('id').execute();
      const feeds = await db.selectFrom('personal_feeds').select('user_id').execute();
      const addresses = await db.selectFrom('post_addresses').select('user_id').execute();
      const open = await db.selectFrom('invitations').select('id').where('revoked_at', 'is', null).execute();
      const mails = await db.selectFrom('mails').select('kind').where('state', '=', 'queued').execute();
      const webhooks = await db.selectFrom('webhooks').select('id').execute();
      // Only a site that has moved does not say that it was restored.
      const { restored } = await readBackupState(db);
      expect(restored).toEqual(
        keepsAccess ? null : { at: expect.any(String), name: 'saved.tar', createdAt: manifest.createdAt },
      );
      const ofMails = mails.map(mail => mail.kind).sort();
      return [...[tokens, open, feeds, addresses, webhooks].map(rows => rows.length), ofMails];
    };
    expect(await left(false)).toEqual([0, 0, 0, 0, 0, ['approved']]);
    expect(await left(true)).toEqual([1, 1, 1, 1, 1, [...kinds, 'waiting'].sort()]);
  });

  it('an archive lists every table as archived or left out, each after those that it refers to', async () => {
    const { db } = (await site()).deps;
    const engines = ['migrations', 'migrations_lock'];
    const tables = (await listTables(db)).filter(
      name => !engines.includes(name) && !/^(post|user)_search_(config|content|data|docsize|idx)$/.test(name),
    );
    expect(tables.filter(name => !(name in treatments))).toEqual([]);
    const known = new Set<string>();
    for (const { name, by } of archivedTables) {
      const columns = (await columnsOf(db, name)).map(column => column.name);
      expect(columns).toEqual(expect.arrayContaining([...by]));
      if (engine === 'sqlite') {
        const { rows } = await sql<{
          table: string;
        }>`select "table" from pragma_foreign_key_list(${name})`.execute(db);
        expect([name, rows.filter(row => row.table !== name && !known.has(row.table))]).toEqual([name, []]);
      }
      known.add(name);
    }
  });

  it('a restore into a place that is in use is refused, and leaves it unchanged', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, essay({ content: await attach(s, admin, 'a.bin', Buffer.alloc(30_000)) }));
    const { path } = await exportSite(s.deps);
    // A volume of its own, which cannot be replaced, with the backups on it.
    const place = await location();
    await mkdir(join(place.dataDir, 'backups'), { recursive: true });
    const { ino } = await stat(place.dataDir);
    const damaged = join(s.config.dataDir, 'damaged.tar');
    await writeFile(damaged, (await readFile(path)).subarray(0, 20_000));
    expect(await refusal(restoreSite({ ...s.config, ...place }, await archiveFile(damaged)))).toBe(
      'invalid-argument',
    );
    expect(await readdir(place.dataDir)).toEqual(['backups']);
    await restoreSite({ ...s.config, ...place }, await archiveFile(path));
    expect((await stat(place.dataDir)).ino).toBe(ino);
    const parts = engine === 'sqlite' ? ['backups', 'coterie.db', 'files'] : ['backups', 'files'];
    expect((await readdir(place.dataDir)).sort()).toEqual(parts);
    if (engine === 'sqlite') return;
    const elsewhere = { ...s.config, ...place, dataDir: join(s.config.dataDir, 'elsewhere') };
    await expect(restoreSite(elsewhere, await archiveFile(path))).rejects.toThrow('is not empty');
    expect(await readdir(elsewhere.dataDir)).toEqual([]);
  });

  it('a restore reads an archive of an older version', async () => {
    const place = await location();
    const config = { ...(await site()).config, ...place };
    const fixture = join(import.meta.dirname, '../releases/0.1.0.tar');
    const { kinds, schema } = await restoreSite(config, await archiveFile(fixture));
    expect(schema).toBe('0041-first-release');
    const restored = await openSite(place);
    cleanups.push(restored.close);
    expect(await examine(restored.deps)).toEqual([]);
    const posts = await restored.deps.db.selectFrom('posts').select('id').execute();
    expect(posts).toHaveLength(kinds.posts?.rows ?? 0);
    const admin = await administer(restored);
    const { posts: found } = await restored.call(admin, 'listPosts', { search: 'unicode' });
    expect(found.map(post => post.title)).toEqual(['Ünïcödé "quoted" \\ and 🌋']);
  });
});
