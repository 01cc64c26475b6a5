import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { cookieOf, openSite, type Person, type Site } from '../support/site.ts';

const manual = { redirect: 'manual' } as const;

describeEngines(({ site, migrated }) => {
  it('a page renders the selection that the address links to', async () => {
    const s = await site();
    await publish(
      s,
      await s.admin(),
      shortPost('of rivers', ['rivers']),
      shortPost('of bread', ['bread, white']),
    );
    await s.setDefaultTags(['rivers', 'bread, white']);
    const text = async (path: string) => (await s.request(path)).text();
    expect(await text('/?tags=rivers')).not.toContain('of bread');
    expect(await text('/?tags=RIVERS,nothing')).toContain('of rivers');
    expect(await text('/?tags=bread%252C%20white')).toMatch(/^(?!.*of rivers).*of bread/s);
    expect(await text('/?tags=nothing')).toContain('No posts found with this search criteria');
    expect(await text('/')).toMatch(/of bread.*of rivers/s);
  });

  it('a page has links to more posts without scripts', async () => {
    const s = await site();
    await publish(s, await s.admin(), ...Array.from({ length: 12 }, (_, n) => shortPost(`post ${n}.`)));
    expect(await (await s.request('/')).text()).toContain('href="/?page=2"');
    const second = await (await s.request('/?page=2')).text();
    expect(second).toContain('post 0.');
    expect(second).not.toContain('post 2.');
  });

  it('a page shows the posts of a tag, named as its posts write it', async () => {
    const s = await site();
    await publish(s, await s.admin(), essay({ title: 'Where it ends', tags: ['Río é'] }));
    await s.setDefaultTags(['Río é']);
    for (const path of ['/tags/R%C3%ADo%20%C3%A9', '/tags/r%C3%ADo%20%C3%A9', '/Tags/R%C3%ADo%20%C3%A9/']) {
      const response = await s.request(path);
      expect([path, response.status]).toEqual([path, 200]);
      const html = await response.text();
      expect(html).toContain('Posts tagged &quot;Río é&quot;');
      expect(html).toContain('Where it ends');
      expect(html).toContain('/tags/R%C3%ADo%20%C3%A9">');
    }
  });

  it('the page of an essay has its description above the text, unless that begins with it or the title is the same', async () => {
    const s = await site();
    const description = 'They come.';
    const [own, beginning, title] = await publish(
      s,
      await s.admin(),
      essay({ description, content: 'They go.' }),
      essay({ description, content: '*They* come. They go.' }),
      essay({ title: description, description, content: 'They go.' }),
    );
    const summary = async (id = '') => {
      const html = await (await s.request(`/post/${id}`)).text();
      // Search engines are told it in any case.
      expect(html).toContain('<meta name="description" content="They come.">');
      return /<p class="summary"[^>]*>([^<]*)/.exec(html)?.[1];
    };
    expect([await summary(own), await summary(beginning), await summary(title)]).toEqual([
      description,
      undefined,
      undefined,
    ]);
    expect((await (await s.request('/')).text()).match(/<p class="summary"/g)).toHaveLength(3);
  });

  it('a page gives the same answer for a missing tag and for one that the viewer may not see', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    await publish(s, admin, shortPost('hidden', ['secret']));
    for (const viewer of [null, member]) {
      const [closed, unknown] = await Promise.all(
        ['/tags/secret', '/tags/absent'].map(path => s.request(path, viewer)),
      );
      expect([closed?.status, unknown?.status]).toEqual([404, 404]);
      const shape = async (response: Response | undefined, tag: string) =>
        ((await response?.text()) ?? '')
          .replaceAll(tag, '')
          .replaceAll(/"dataUpdatedAt":\d+/g, '')
          .replaceAll(/"dehydratedAt":\d+/g, '');
      expect(await shape(closed, 'secret')).toBe(await shape(unknown, 'absent'));
    }
    expect((await s.request('/tags/secret', admin)).status).toBe(200);
    expect((await s.request(`/tags/${'x'.repeat(3_000)}`)).status).toBe(404);
  });

  it('the site guards the profile in any spelling of its address, and keeps it out of shared caches', async () => {
    const s = await site();
    const member = await s.member();
    for (const path of ['/profile', '/profile/', '/PROFILE', '/%70rofile', '/profile?x=1', '/profile//']) {
      let response = await s.request(path, null, manual);
      if (response.headers.get('location')?.startsWith('/profile')) {
        response = await s.request(response.headers.get('location') ?? '', null, manual);
      }
      expect([path, response.status, response.headers.get('location')]).toEqual([
        path,
        302,
        '/login?next=%2Fprofile',
      ]);
    }
    const own = await s.request('/profile', member);
    expect(own.headers.get('cache-control')).toMatch(/private|no-store/);
    expect(await own.text()).toContain('Your Activity');
    const again = await s.request('/profile', null, {
      ...manual,
      headers: { 'if-none-match': '*' },
    });
    expect(again.status).toBe(302);
  });

  it('a page has links to more comments and activity without scripts', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost('a note'));
    const notes = Array.from({ length: 21 }, (_, n) => shortPost(`liked ${n}.`));
    const liked = await publish(s, admin, ...notes);
    for (let n = 0; n < 21; n += 1) {
      s.wait(1_000);
      await s.call(member, 'addComment', { postId, content: `said ${n}.` });
      await s.call(member, 'setLike', { postId: liked[n] ?? '', liked: true });
    }
    const text = async (path: string, as = member) =>
      (await (await s.request(path, as)).text()).split('<script type="application/json"')[0] ?? '';
    const link = (html: string, label: string) =>
      (html.match(new RegExp(`href="([^"]*)">${label}`))?.[1] ?? '').replaceAll('&amp;', '&');

    const closed = await text(`/post/${postId}`);
    expect(closed).not.toContain('said 20.');
    const open = await text(link(closed, 'Show comments'));
    expect(open).toContain('said 20.');
    expect(open).not.toContain('said 0.');
    const rest = await text(link(open, 'Load More Comments'));
    expect(rest).toContain('said 0.');
    expect(rest).not.toContain('said 1.');
    expect(await text(`/post/${postId}?comments=1`, await s.signUp())).toContain(
      'You cannot view or leave comments until your account is approved by an admin.',
    );
    expect((await s.request(`/post/${postId}?comments=nonsense`, member)).status).toBe(400);

    const profile = await text('/profile');
    expect(profile).toContain('liked 20.');
    const [moreLikes, moreComments] = [
      link(profile, 'Load more liked posts'),
      link(profile, 'Load more comments'),
    ];
    expect(await text(moreLikes)).toMatch(/^(?!.*liked 20\.).*liked 0\..*said 20\./s);
    expect(await text(moreComments)).toMatch(/^(?!.*said 20\.).*liked 20\..*said 0\./s);
  });

  it('a form logs in without scripts, only from this site', async () => {
    const s = await site();
    await s.call(null, 'signUp', {
      username: 'lucy',
      name: 'Lucy',
      email: 'lucy@example.com',
      password: 'arthur',
    });
    const post = (path: string, password: string, headers: Record<string, string> = {}) => {
      const body = new URLSearchParams({ email: 'lucy@example.com', password }).toString();
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const length = { 'content-length': String(body.length) };
      return s.request(path, null, {
        ...manual,
        method: 'POST',
        body,
        headers: { ...type, ...length, origin: s.config.publicUrl, ...headers },
      });
    };
    const good = await post('/login?next=/profile', 'arthur');
    expect([good.status, good.headers.get('location')]).toEqual([303, '/profile']);
    const page = await s.request('/profile', { id: '', username: '', cookie: cookieOf(good) });
    expect(await page.text()).toContain('Your Activity');
    expect((await post('/login?next=//evil.test', 'arthur')).headers.get('location')).toBe('/');

    const bad = await post('/login?next=/profile', 'wrong');
    expect([bad.status, bad.headers.getSetCookie()]).toEqual([303, []]);
    const back = await (await s.request(bad.headers.get('location') ?? '')).text();
    expect(back).toContain('Failed to sign in. Please check your credentials.');
    expect(bad.headers.get('location')).toContain('next=%2Fprofile');
    expect((await post('/login', 'arthur', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post('/login', 'x'.repeat(10_000))).status).toBe(400);
  });

  it('a page explains without scripts why a form cannot be sent, and shows no form for a link without its token', async () => {
    const s = await site();
    const page = async (path: string, as: Person = null) => await (await s.request(path, as)).text();
    expect(await page('/forgot-password')).toContain('This form needs JavaScript.');
    for (const path of ['/reset-password', '/confirm', '/invite', '/invite?token=']) {
      expect(await page(path)).toContain('This link is incomplete.');
      expect(await page(path)).not.toContain('<form');
    }
    for (const path of ['/reset-password?token=x', '/confirm?token=x']) {
      expect(await page(path)).toContain('This link is no longer valid.');
      expect(await page(path)).not.toContain('<form');
    }
    const admin = await s.admin();
    expect(await page('/account', admin)).toContain('This form needs JavaScript.');
    expect(await page('/admin/posts/new', admin)).toContain('Writing needs JavaScript.');
  });

  it('a page promises no mail if none is sent', async () => {
    const forgot = async (s: Site) => await (await s.request('/forgot-password')).text();
    expect(await forgot(await site())).toContain('This site does not send email.');
    const withMail = await openSite(await migrated(), { SMTP_URL: 'smtp://localhost:1' });
    expect(await forgot(withMail)).toContain('email you a link');
    await withMail.close();
  });

  it('a page shows no form for log-in or sign-up to somebody who is signed in', async () => {
    const s = await site();
    for (const path of ['/login', '/signup']) {
      expect((await s.request(path, null, manual)).status).toBe(200);
      expect((await s.request(path, await s.signUp(), manual)).headers.get('location')).toBe('/');
    }
  });

  it('the site leads every unknown path to the timeline, and never to another site', async () => {
    const s = await site();
    for (const path of ['/nothing', '/a/b/c', '/tags', '/post', '/profile/x', '/tags/%E0%A4%A', '/%']) {
      const response = await s.request(path, null, manual);
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 302, '/']);
    }
    const doubled = await s.request('//evil.test//x', null, manual);
    expect(doubled.headers.get('location')).toBe('/evil.test/x');
  });
});
