import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { createId } from '../../server/base/id.ts';
import { sweepFiles } from '../../server/files/jobs.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { bucketPath, multipart, objectPath } from '../support/multipart.ts';
import { changeUser } from '../support/rows.ts';
import { codeNow } from '../support/second-factor.ts';
import type { Person, Site } from '../support/site.ts';
import { carry, start, step, upload } from '../support/storage.ts';

const day = 86_400_000;

const filesIn = async (site: Site, folder: string) =>
  await readdir(join(site.config.dataDir, folder)).catch(() => []);

describeEngines(({ site, siteWithAdmin }) => {
  it('an upload accepts steps in any order that a broken connection can cause', async () => {
    const [s, admin] = await siteWithAdmin();
    const url = await start(s, admin, 'a.bin', 10);
    const status = async (response: Promise<Response>) => {
      const { status, headers } = await response;
      return [status, headers.get('x-goog-upload-status'), headers.get('x-goog-upload-size-received')];
    };
    expect(await status(step(s, admin, url, 'query'))).toEqual([200, 'active', '0']);
    expect(await status(step(s, admin, url, 'upload', { offset: 0, body: 'abcd' }))).toEqual([
      200,
      'active',
      null,
    ]);
    // The same again, then one that overlaps, then one that leaves a gap.
    expect((await step(s, admin, url, 'upload', { offset: 0, body: 'abcd' })).status).toBe(200);
    expect((await step(s, admin, url, 'upload', { offset: 2, body: 'cdef' })).status).toBe(200);
    expect((await step(s, admin, url, 'upload', { offset: 8, body: 'ij' })).status).toBe(400);
    expect(await status(step(s, admin, url, 'query'))).toEqual([200, 'active', '6']);
    // Too little, and too much.
    expect((await step(s, admin, url, 'finalize', { offset: 6 })).status).toBe(400);
    expect((await step(s, admin, url, 'upload', { offset: 6, body: 'ghijklm' })).status).toBe(413);
    const last = await step(s, admin, url, 'upload, finalize', { offset: 6, body: 'ghij' });
    const stored = await last.json();
    expect([last.headers.get('x-goog-upload-status'), stored.size]).toEqual(['final', '10']);
    // Its answer may have been lost, so it comes again, whole or asking.
    const again = await step(s, admin, url, 'upload, finalize', { offset: 6, body: 'ghij' });
    expect([again.status, (await again.json()).generation]).toEqual([200, stored.generation]);
    expect(await status(step(s, admin, url, 'query'))).toEqual([200, 'final', '10']);
    expect(await (await s.request(`${objectPath('a.bin')}?alt=media`, admin)).text()).toBe('abcdefghij');
    expect(await filesIn(s, 'uploads')).toEqual([]);
  });

  it('uploads make one file when two last steps arrive at once', async () => {
    const [s, admin] = await siteWithAdmin();
    const url = await start(s, admin, 'a.bin', 4);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => step(s, admin, url, 'upload, finalize', { offset: 0, body: 'abcd' })),
    );
    const generations = new Set();
    for (const answer of answers) if (answer.ok) generations.add((await answer.json()).generation);
    expect(generations.size).toBe(1);
    expect(await s.deps.db.selectFrom('files').select(['path', 'size']).execute()).toEqual([
      { path: 'posts/a.bin', size: 4 },
    ]);
    expect(await (await s.request(`${objectPath('a.bin')}?alt=media`, admin)).text()).toBe('abcd');
  });

  it('uploads check the sender at each step', async () => {
    const s = await site();
    const [admin, other, member] = [await s.admin(), await s.admin(), await s.member()];
    const url = await start(s, admin, 'a.bin', 4);
    const statuses = async (people: Person[]) =>
      await Promise.all(people.map(async person => (await step(s, person, url, 'query')).status));
    expect(await statuses([null, member, other, admin])).toEqual([401, 403, 403, 200]);
    await step(s, admin, url, 'upload', { offset: 0, body: 'ab' });
    await changeUser(s, admin.id, { is_admin: false });
    await denyUser(s.deps, admin.id);
    expect((await step(s, admin, url, 'upload, finalize', { offset: 2, body: 'cd' })).status).toBe(401);
    // The upload has ended with the right to it, whatever becomes of that later.
    expect(await s.deps.db.selectFrom('upload_sessions').select('id').execute()).toEqual([]);
    expect(await filesIn(s, 'uploads')).toEqual([]);
  });

  it('uploads are gone for everybody once who began them may not upload any more', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const url = await start(s, admin, 'a.bin', 4);
    await step(s, admin, url, 'upload', { offset: 0, body: 'ab' });
    await changeUser(s, admin.id, { is_admin: false });
    const statuses = [
      (await step(s, other, url, 'query')).status,
      (await step(s, other, url, 'query')).status,
    ];
    expect(statuses).toEqual([404, 404]);
  });

  it('uploads are gone for an admin who lacks the second factor that is required now', async () => {
    const s = await site();
    const [mina, jonathan] = [await s.admin(), await s.admin()];
    const [asked, swept] = [await start(s, jonathan, 'a.bin', 4), await start(s, jonathan, 'b.bin', 4)];
    const own = await start(s, mina, 'c.bin', 4);
    const { secret } = await s.call(mina, 'requestSecondFactor', {});
    await s.call(mina, 'turnOnSecondFactor', { secret, code: codeNow(s, secret) });
    await s.call(mina, 'setAdminFactor', { isRequired: true });
    expect((await step(s, jonathan, asked, 'upload', { offset: 0, body: 'ab' })).status).toBe(403);
    await sweepFiles(s.deps);
    await s.call(mina, 'setAdminFactor', { isRequired: false });
    expect((await step(s, jonathan, asked, 'query')).status).toBe(404);
    expect((await step(s, jonathan, swept, 'query')).status).toBe(404);
    expect((await step(s, mina, own, 'query')).status).toBe(200);
  });

  it('uploads can be cancelled, and are deleted when abandoned, but no file in use is', async () => {
    const [s, admin] = await siteWithAdmin();
    const cancelled = await start(s, admin, 'a.bin');
    await step(s, admin, cancelled, 'upload', { offset: 0, body: 'abcd' });
    expect((await step(s, admin, cancelled, 'cancel')).status).toBe(200);
    expect((await step(s, admin, cancelled, 'upload', { offset: 4, body: 'e' })).status).toBe(404);

    const abandoned = await start(s, admin, 'b.bin');
    await step(s, admin, abandoned, 'upload', { offset: 0, body: 'abcd' });
    const [postId = ''] = await publish(s, admin, essay());
    const carried = await upload(s, admin, 'carried.bin', 'x');
    const unused = await upload(s, admin, 'unused.bin', 'x');
    await carry(s, postId, carried.id);
    // A backup may lie in the same bucket, and is not ours to delete.
    const backup = 'backup-0123abcd-2026-01-02T03-30-00-000Z.tar';
    for (const name of [createId(), `${createId()}.480`, backup]) {
      const orphan = join(s.config.dataDir, 'files', name);
      await writeFile(orphan, 'x');
      await utimes(orphan, 0, 0);
    }

    s.wait(2 * day);
    const young = await upload(s, admin, 'young.bin', 'x');
    await sweepFiles(s.deps);
    expect((await step(s, admin, abandoned, 'query')).status).toBe(404);
    expect(await filesIn(s, 'uploads')).toEqual([]);
    expect((await filesIn(s, 'files')).sort()).toEqual([backup, carried.id, unused.id, young.id].sort());
    s.wait(30 * day - 1_000);
    await sweepFiles(s.deps);
    expect((await filesIn(s, 'files')).sort()).toEqual([backup, carried.id, young.id].sort());
  });

  it('uploads refuse malicious names, bodies and metadata, and the server survives', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of [
      '',
      '..',
      'a/../b',
      '/a',
      'a//b',
      'a\\b',
      'a\0b',
      'a\r\nb',
      'x'.repeat(1_025),
      './a',
    ]) {
      expect([name, (await s.request(bucketPath(name), admin, multipart('x'))).status]).toEqual([name, 400]);
    }
    for (const metadata of [
      { contentDisposition: 'a\r\nset-cookie: x=y' },
      { cacheControl: 'x'.repeat(2_000) },
      { metadata: { a: 1 } },
      { contentType: 7 },
      { md5Hash: 'AAAAAAAAAAAAAAAAAAAAAA==' },
    ]) {
      expect((await s.request(bucketPath('a'), admin, multipart('x', metadata))).status).toBe(400);
    }
    const withoutProtocol = await s.request(bucketPath('a'), admin, { method: 'POST', body: 'x' });
    const elsewhere = await s.request('/v0/b/other/o/a', admin);
    const twice = await s.request('/v0/b/coterie/o/%E0%A4%A', admin);
    expect([withoutProtocol.status, elsewhere.status, twice.status]).toEqual([400, 404, 400]);
    expect((await elsewhere.json()).error).toEqual({ code: 404, message: 'Unknown bucket.' });
    const crossSite = await s.request(bucketPath('a'), admin, {
      ...multipart('x'),
      headers: { ...multipart('x').headers, 'sec-fetch-site': 'cross-site' },
    });
    expect(crossSite.status).toBe(403);
    expect(await s.deps.db.selectFrom('files').select('id').execute()).toEqual([]);
    expect(await filesIn(s, 'files')).toEqual([]);
    expect(await filesIn(s, 'uploads')).toEqual([]);
  });

  it('uploads do not overwrite or delete a file that a post shows', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay());
    const first = await upload(s, admin, 'a.bin', 'one');
    const second = await upload(s, admin, 'a.bin', 'two');
    expect((await s.request(`/files/${first.id}`, admin)).status).toBe(404);
    await carry(s, postId, second.id);
    expect((await s.request(bucketPath('a.bin'), admin, multipart('three'))).status).toBe(403);
    expect((await s.request(objectPath('a.bin'), admin, { method: 'DELETE' })).status).toBe(403);
    expect(await (await s.request(`/files/${second.id}`)).text()).toBe('two');
  });

  it('uploads list files and folders with any separator in their names', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['a--b', 'a--c', 'a-d', 'e']) await upload(s, admin, name, 'x');
    const list = async (query: string) =>
      await (await s.request(`/v0/b/coterie/o?delimiter=--&${query}`, admin)).json();
    const items = (...names: string[]) => names.map(name => ({ name: `posts/${name}`, bucket: 'coterie' }));
    expect(await list('')).toEqual({ prefixes: ['posts/a--'], items: items('a-d', 'e') });
    const { nextPageToken, ...first } = await list('maxResults=1');
    expect(first).toEqual({ prefixes: ['posts/a--'], items: [] });
    expect(await list(`maxResults=2&pageToken=${nextPageToken}`)).toEqual({
      prefixes: [],
      items: items('a-d', 'e'),
    });
    expect(await list('prefix=posts/a--')).toEqual({ prefixes: [], items: items('a--b', 'a--c') });
    for (const query of ['prefix=a%00', 'pageToken=AAAA']) {
      expect([query, (await list(query)).error]).toEqual([query, { code: 400, message: expect.any(String) }]);
    }
    expect((await step(s, null, 'http://localhost/v0/b/coterie/o?upload_id=%00', 'query')).status).toBe(404);
  });
});
