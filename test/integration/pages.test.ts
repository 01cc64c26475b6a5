import { expect, it } from 'vitest';
import { approveUser } from '../../server/accounts/members/decide.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';

describeEngines(({ site }) => {
  it('a page shows a visitor what is public, with titles and descriptions for search and previews', async () => {
    const s = await site();
    const [id = ''] = await publish(
      s,
      await s.admin(),
      essay({ title: 'On "rivers" & <hills>', description: 'Where they end.' }),
    );
    const response = await s.request(`/post/${id}`);
    const html = await response.text();
    expect(html).toContain('<title>On &quot;rivers&quot; &amp; &lt;hills&gt; · Coterie</title>');
    expect(html).toContain(`<link rel="canonical" href="http://localhost:3000/post/${id}">`);
    expect(html).toContain('<meta property="og:title" content="On &quot;rivers&quot; &amp; &lt;hills&gt;">');
    expect(html).toContain('<meta name="description" content="Where they end.">');
    // Behind a proxy that has people log in, the manifest is only answered to a request with its cookie.
    expect(html).toContain(
      '<link rel="manifest" href="/manifest.webmanifest" crossorigin="use-credentials">',
    );
    expect(response.headers.get('cache-control')).toBe('public, no-cache');
    expect(response.headers.get('vary')).toContain('Cookie');
  });

  it('the site lets search engines list the page to log in, by one address', async () => {
    const s = await site();
    await s.admin();
    const html = await (await s.request('/login?next=%2Fpost%2Fx')).text();
    expect(html).toContain('<link rel="canonical" href="http://localhost:3000/login">');
    expect(html).toContain('<meta name="description" content="Log in to Coterie.">');
    expect(html).not.toContain('noindex');
    expect(html).not.toContain('ld+json');
  });

  it('a page lets no text of a post end the embedded state', async () => {
    const s = await site();
    const evil = '</script><script>alert(1)</script><!--\u2028';
    const [id = ''] = await publish(
      s,
      await s.admin(),
      essay({ title: evil, description: evil, content: evil, tags: [] }),
    );
    for (const path of ['/', `/post/${id}`]) {
      const html = await (await s.request(path)).text();
      expect(html).not.toContain('<script>alert');
      // The data for search engines, and the state.
      expect(html.match(/<\/script>/g)).toHaveLength(2);
      expect(JSON.parse(/id="state">(.*?)<\/script>/s.exec(html)?.[1] ?? '')).toHaveProperty('queries');
    }
  });

  it('the cache drops a visitor’s page as soon as it changes, and answers 304 until then', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [id = ''] = await publish(s, admin, shortPost('first words'));
    const first = await s.request('/');
    const etag = first.headers.get('etag') ?? '';
    for (const tags of [etag, etag.replace('W/', ''), `"older", ${etag}`]) {
      expect((await s.request('/', null, { headers: { 'if-none-match': tags } })).status).toBe(304);
    }
    await s.call(member, 'setLike', { postId: id, liked: true });
    const second = await s.request('/', null, { headers: { 'if-none-match': etag } });
    expect(second.status).toBe(200);
    expect(await second.text()).toContain('Like, 1 like');
    await s.call(admin, 'updatePost', { ...shortPost('first words', ['friends']), postId: id });
    expect(await (await s.request('/')).text()).not.toContain('first words');
  });

  it('a page has the same ETag in each compression', async () => {
    const s = await site();
    await publish(s, await s.admin(), essay({ content: 'words '.repeat(200) }));
    const pages = await Promise.all(
      ['identity', 'gzip', 'br'].map(encoding =>
        s.request('/', null, { headers: { 'accept-encoding': encoding } }),
      ),
    );
    const [etag = '', ...others] = pages.map(page => page.headers.get('etag'));
    expect(etag).toMatch(/^W\/"/);
    expect(others).toEqual([etag, etag]);
  });

  it('one viewer never gets the page of another', async () => {
    const s = await site();
    const [admin, friend] = [await s.admin(), await s.member(['friends'])];
    const [id = ''] = await publish(s, admin, essay({ content: 'for friends', tags: ['friends'] }));
    const page = await s.request(`/post/${id}`, friend);
    expect(await page.text()).toContain('for friends');
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    const etag = page.headers.get('etag') ?? '';
    const other = await s.request(`/post/${id}`, null, {
      redirect: 'manual',
      headers: { 'if-none-match': etag },
    });
    expect(other.status).toBe(302);
    expect(other.headers.get('location')).toBe(`/login?next=${encodeURIComponent(`/post/${id}`)}`);
  });

  it('a page shows a member a post that they have just been given', async () => {
    const s = await site();
    const [admin, pending] = [await s.admin(), await s.signUp()];
    await publish(s, admin, shortPost('hello'));
    const canLike = async () =>
      /"can":\{"like":(true|false)/.exec(await (await s.request('/', pending)).text())?.[1];
    expect(await canLike()).toBe('false');
    await approveUser(s.deps, pending.id);
    expect(await canLike()).toBe('true');
  });

  it('a page says that a post is missing, and sends unknown paths to the timeline', async () => {
    const s = await site();
    const missing = await s.request('/post/nothing');
    expect(missing.status).toBe(404);
    expect(await missing.text()).toContain('Post not found');
    const unknown = await s.request('/no/such/page', null, { redirect: 'manual' });
    expect([unknown.status, unknown.headers.get('location')]).toEqual([302, '/']);
  });

  it('the site compresses pages for clients that accept it', async () => {
    const s = await site();
    await publish(
      s,
      await s.admin(),
      ...Array.from({ length: 10 }, (_, index) => shortPost(`Post ${index}`)),
    );
    for (const [accept, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0', null],
      [undefined, null],
    ]) {
      const response = await s.request('/', null, { headers: accept ? { 'accept-encoding': accept } : {} });
      expect(response.headers.get('content-encoding')).toBe(encoding ?? null);
      expect(response.status).toBe(200);
    }
  });

  it('the site answers health checks without revealing more', async () => {
    const s = await site();
    expect(await (await s.request('/healthz')).text()).toBe('ok\n');
    expect(await (await s.request('/readyz')).text()).toBe('ready\n');
  });
});
