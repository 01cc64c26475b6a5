import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { carry, upload } from '../support/storage.ts';

describeEngines(({ siteWithAdmin }) => {
  it('9. a cache never answers "not modified" for what somebody else was shown', async () => {
    const [s, admin] = await siteWithAdmin();
    const [closed = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    await publish(s, admin, essay({ title: 'For all' }));
    const people = [admin, await s.member(['friends']), await s.member(), await s.signUp(), null];
    for (const path of ['/', `/post/${closed}`, '/tags/friends']) {
      const tags = new Map<string, string>();
      for (const person of people) {
        const answer = await s.request(path, person, { redirect: 'manual' });
        const etag = answer.headers.get('etag');
        if (etag === null || answer.status !== 200) continue;
        const text = await answer.text();
        // The same tag only for the same bytes.
        expect(tags.get(etag) ?? text).toBe(text);
        tags.set(etag, text);
        const again = await s.request(path, person, { headers: { 'if-none-match': etag } });
        expect([path, again.status]).toEqual([path, 304]);
      }
      // A page of members alone carries none: no browser keeps it.
      if (path === '/') expect(tags.size).toBeGreaterThan(0);
      for (const [etag, text] of tags) {
        for (const person of people) {
          const answer = await s.request(path, person, {
            redirect: 'manual',
            headers: { 'if-none-match': etag },
          });
          const plain = await (await s.request(path, person, { redirect: 'manual' })).text();
          expect([path, answer.status === 304]).toEqual([path, plain === text]);
        }
      }
    }
  });

  it('10. the site leaves nothing private in a cache that distinguishes only addresses', async () => {
    const [s, admin] = await siteWithAdmin();
    const [closed = ''] = await publish(s, admin, essay({ title: 'Markertitle', tags: ['friends'] }));
    const file = await upload(s, admin, 'posts/a.css', 'markerbytes');
    await carry(s, closed, file.id);
    const paths = [
      '/',
      '/?x=y.css',
      `/post/${closed}`,
      `/post/${closed}/a.css`,
      `/post/${closed}.css`,
      `/post/${closed};a.js`,
      `/post/${closed}%2fa.css`,
      `/post/${closed}?a.js`,
      `//post/${closed}`,
      '/account',
      '/account/x.css',
      '/profile',
      '/profile;a.js',
      '/api/getViewer;a.js',
      '/api/getViewer/a.css',
      file.url,
      `${file.url}?a.css`,
      `/v0/b/coterie/o/${encodeURIComponent(file.name)}?alt=media`,
    ];
    const friend = await s.member(['friends']);
    const kept = new Map<string, string>();
    for (const person of [admin, friend]) {
      for (const path of paths) {
        const answer = await s.request(path, person, { redirect: 'manual' });
        const isKept = /(?:^|,\s*)public\b/.test(answer.headers.get('cache-control') ?? 'public');
        if (isKept) kept.set(path, await answer.text());
      }
    }
    expect([...kept]).toEqual([]);
    for (const path of paths) {
      const text = await (await s.request(path, null, { redirect: 'manual' })).text();
      expect([path, /marker/i.test(text)]).toEqual([path, false]);
    }
  });
});
