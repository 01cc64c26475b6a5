import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { fillDemo } from '../../scripts/demo/fill.ts';
import { admin, password, people } from '../../scripts/demo/people.ts';
import { archivedTables } from '../../server/moving/archive/tables.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { addPasskey } from '../support/authenticator.ts';
import { essay } from '../support/factories.ts';
import { joinAs, linkFor, newcomer } from '../support/invitations.ts';
import { png } from '../support/png.ts';
import { cookieOf, type Location, openSite, type Person, type Site } from '../support/site.ts';
import { start, step, upload } from '../support/storage.ts';

/** Makes a site with rows in every table that an archive holds. Throws when one has none. */
export async function makeSite(location: Location): Promise<void> {
  const s = await openSite(location);
  try {
    await fillDemo(s.deps);
    await leaveTraces(s);
    await importPost(s);
    for (const { name } of archivedTables) {
      const row = await s.deps.db
        .selectFrom(name as 'posts')
        .select(eb => eb.lit(1).as('one'))
        .limit(1)
        .executeTakeFirst();
      if (row === undefined) throw new Error(`No row of ${name} would be kept.`);
    }
  } finally {
    await s.close();
  }
}

/** What people leave beside posts, comments and likes. */
async function leaveTraces(s: Site): Promise<void> {
  const marit = await signIn(s, admin.email);
  const [anders, edith, jonas] = await Promise.all(people.slice(0, 3).map(({ email }) => signIn(s, email)));
  if (anders === undefined || edith === undefined || jonas === undefined)
    throw new Error('Somebody is missing.');

  await s.call(anders, 'setSubscription', { subscribed: true });
  const { url } = await upload(s, marit, 'posts/lock.txt', 'The lock at noon.', 'text/plain');
  await s.call(
    marit,
    'createPost',
    essay({ content: `The [notes](${url}).`, attachments: [{ url, description: 'Notes' }] }),
  );
  await step(s, marit, await start(s, marit, 'posts/unfinished.bin', 10), 'upload', {
    offset: 0,
    body: 'half',
  });

  await s.call(anders, 'setFace', { picture: png.toString('base64') });
  const { token } = await linkFor(s, marit, 3, ['friends']);
  await joinAs(s, { token, ...newcomer('lucy') });
  await s.call(anders, 'proposePerson', { email: 'lisa@example.org', name: 'Lisa', word: 'My sister' });
  await s.call(marit, 'setApprovedTags', { userId: edith.id, tags: ['friends'] });
  await s.call(marit, 'setAuthor', { userId: edith.id, isAuthor: true });
  await s.makeToken(marit);
  const { posts } = await s.call(marit, 'getPosts', {});
  await s.deps.db
    .insertInto('openings')
    .values(posts.map(({ id }) => ({ post_id: id, times: 12 })))
    .execute();

  await addPasskey(s, anders);
  const { secret } = await s.call(jonas, 'requestSecondFactor', {});
  const code = new TOTP({ secret }).generate({ timestamp: s.deps.clock() });
  await s.call(jonas, 'turnOnSecondFactor', { secret, code });
}

/** A post that was at an address elsewhere. */
async function importPost(s: Site): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-posts-'));
  try {
    await mkdir(join(folder, '_posts'));
    await writeFile(join(folder, '_posts/2019-03-12-a-walk.md'), '---\ntitle: A walk\n---\nUphill.\n');
    const source = await markdownSource(folder, (await s.deps.settings()).timeZone);
    const { id } = await s.deps.db
      .selectFrom('users')
      .select('id')
      .where('username', '=', admin.username)
      .executeTakeFirstOrThrow();
    for await (const item of runImport(s.deps, source, { authorId: id, isDryRun: false })) {
      if (item.outcome !== 'created') throw new Error(`${item.source}: ${item.reason}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Logs in with the password that all people of the demonstration have. */
export async function signIn(s: Site, email: string): Promise<NonNullable<Person>> {
  const response = await s.request('/api/signIn', null, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data: { email, password } }),
  });
  const { result } = await response.json();
  return { id: result.user.id, username: result.user.username, cookie: cookieOf(response) };
}
