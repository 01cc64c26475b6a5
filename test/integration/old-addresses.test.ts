import { expect, it } from 'vitest';
import type { DraftPost } from '../../server/moving/import/draft.ts';
import { post } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { importAll, importedId } from '../support/imports.ts';
import type { Person, Site } from '../support/site.ts';

/** Brings a post that was at these addresses. Returns its id here. */
async function bring(site: Site, id: string, draft: Partial<DraftPost>): Promise<string> {
  const items = async function* () {
    yield post({ id, content: `Words of ${id}.`, ...draft });
  };
  const source = { name: 'test', total: 1, items, leftBehind: [] };
  for (const item of await importAll(site.deps, source)) expect(item.outcome).toBe('created');
  return await importedId(site, `test/${id}`);
}

/** Everything that an answer tells, less what is of the moment. */
async function told(site: Site, path: string, person: Person) {
  const response = await site.request(path, person, { redirect: 'manual' });
  return { status: response.status, headers: [...response.headers], body: await response.text() };
}

describeEngines(({ site }) => {
  it('the old address of an imported post leads to the post, in every spelling', async () => {
    const s = await site();
    const id = await bring(s, 'a', { addresses: ['https://old.example/2020/05/a-wälk/', '/?p=12'] });
    for (const path of [
      '/2020/05/a-w%C3%A4lk',
      '/2020/05/a-w%C3%A4lk/?utm_source=x',
      '/?p=12',
      '/?page_id=12',
    ]) {
      const { status, headers } = await told(s, path, null);
      expect({ path, status, location: new Map(headers).get('location') }).toEqual({
        path,
        status: 301,
        location: `/post/${id}`,
      });
      expect(new Map(headers).get('cache-control')).toBe('private, no-store');
    }
    expect((await told(s, '/2020/05/a-w%C3%84lk', null)).status).toBe(302);
    expect((await told(s, '/', null)).status).toBe(200);
  });

  it('the old address of an imported post is answered as unknown to viewers who may not read the post', async () => {
    const s = await site();
    const [friend, admin] = [await s.member(['friends']), await s.admin()];
    const others = [null, await s.signUp(), await s.denied(), await s.member([])];
    const hidden = await bring(s, 'hidden', { tags: ['friends'], addresses: ['/old/one', '/?p=1'] });
    const draft = await bring(s, 'draft', { isDraft: true, addresses: ['/old/two', '/?p=2'] });
    for (const person of others) {
      // A session is prolonged by its first request.
      await told(s, '/', person);
      for (const [missing, ...paths] of [
        ['/old/not', '/old/one', '/old/two'],
        ['/?p=3', '/?p=1', '/?p=2'],
      ]) {
        const expected = await told(s, missing ?? '', person);
        for (const path of paths) expect([path, await told(s, path, person)]).toEqual([path, expected]);
      }
    }
    expect((await s.request('/old/one', friend)).headers.get('location')).toBe(`/post/${hidden}`);
    expect((await told(s, '/old/two', friend)).status).toBe(302);
    expect((await s.request('/old/two', admin)).headers.get('location')).toBe(`/post/${draft}`);
  });

  it('the old address of an imported post follows the current rights', async () => {
    const s = await site();
    await bring(s, 'a', { tags: ['friends'], addresses: ['/old'] });
    expect((await told(s, '/old', null)).status).toBe(302);
    const admin = await s.admin();
    await s.call(admin, 'setDefaultTags', { tags: ['friends'] });
    expect((await told(s, '/old', null)).status).toBe(301);
    await s.call(admin, 'setDefaultTags', { tags: [] });
    expect((await told(s, '/old', null)).status).toBe(302);
  });

  it('an old address never replaces a page of the app, and belongs to the first of two posts', async () => {
    const s = await site();
    const first = await bring(s, 'a', { addresses: ['/login', '/same'] });
    await bring(s, 'b', { addresses: ['/same'] });
    expect((await told(s, '/login', null)).status).toBe(200);
    expect((await s.request('/same')).headers.get('location')).toBe(`/post/${first}`);
  });
});
