import { expect, it } from 'vitest';
import { networkOf } from '../../server/base/networks.ts';
import { takeAttemptFrom } from '../../server/limits/attempts.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { account, essay, publish } from '../support/factories.ts';
import { noticesOf } from '../support/notices.ts';
import { codeNow } from '../support/second-factor.ts';
import { callOf, openSite, type Person, post, type Site } from '../support/site.ts';

async function refused(attempt: Promise<void>): Promise<boolean> {
  return await attempt.then(
    () => false,
    () => true,
  );
}

describeEngines(({ site, migrated }) => {
  it('40. the site allows ten wrong passwords from one network, and lets the owner log in from another', async () => {
    const s = await site();
    await post(s, 'signUp', account, { peer: '203.0.113.1' });
    const guess = async (index: number) =>
      (
        await post(
          s,
          'signIn',
          { email: account.email, password: `guess${index}` },
          {
            peer: '2001:db8::1',
            headers: { 'x-forwarded-for': `198.51.100.${index}` },
          },
        )
      ).status;
    const statuses = await Promise.all(Array.from({ length: 14 }, (_, index) => guess(index)));
    expect(statuses.sort()).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);
    const right = { email: ' MINA@example.com', password: 'quincey' };
    const sameNetwork = await post(s, 'signIn', right, { peer: '2001:db8::ffff' });
    expect(sameNetwork.status).toBe(429);
    expect(Number(sameNetwork.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(s, 'signIn', right, { peer: '203.0.113.1' })).status).toBe(200);
    s.wait(16 * 60_000);
    expect((await post(s, 'signIn', right, { peer: '2001:db8::1' })).status).toBe(200);
  });

  it('the site answers others while it makes a hundred pages for one network', async () => {
    const s = await site();
    const answered: string[] = [];
    const open = async (peer: string, index: number) => {
      const { status } = await s.request(`/login?next=/${index}`, null, { peer });
      answered.push(peer);
      expect(status).toBe(200);
    };
    const burst = Array.from({ length: 100 }, (_, index) => open('203.0.113.1', index));
    await Promise.all([...burst, open('203.0.113.2', 100)]);
    expect(answered.indexOf('203.0.113.2')).toBeLessThan(50);
  });

  it('44. the site accepts sign-ups from a form that a person filled in, and few from one network', async () => {
    const s = await site();
    const { ticket } = await s.call(null, 'getSignUpTicket', {});
    const status = async (index: number, fields: object, peer = '203.0.113.1') =>
      (
        await post(
          s,
          'signUp',
          { ...account, username: `user${index}`, email: `u${index}@example.com`, ...fields },
          { peer },
        )
      ).status;
    expect(await status(1, { ticket })).toBe(400);
    s.wait(2_000);
    expect(await status(1, { ticket, website: 'https://spam.example' })).toBe(400);
    expect(await status(1, { ticket: `${ticket}x` })).toBe(400);
    expect(await status(1, { ticket })).toBe(200);
    s.wait(25 * 60 * 60_000);
    expect(await status(2, { ticket })).toBe(400);
    const statuses: number[] = [];
    for (let index = 10; index < 16; index += 1) statuses.push(await status(index, {}, '203.0.113.7'));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('the site keeps an account from flooding its mailbox, which may be that of somebody else, with what it changes', async () => {
    const s = await site();
    s.deps.limits = new Limits();
    const stranger = await s.signUp();
    const { secret } = await s.call(stranger, 'requestSecondFactor', {});
    await s.call(stranger, 'turnOnSecondFactor', { secret, code: codeNow(s, secret) });
    for (let time = 0; time < 40; time += 1) await s.call(stranger, 'renewRecoveryCodes', {}).catch(() => {});
    expect((await noticesOf(s, stranger)).map(({ notice }) => notice)).toEqual([
      ...Array(30).fill('recovery-codes-made'),
      'second-factor-on',
    ]);
  });

  it('the site writes nothing for the mails that a refused network asks for', async () => {
    const s = await site();
    const ask = async (index: number) =>
      (await post(s, 'requestPasswordReset', { email: `u${index}@example.com` }, { peer: '203.0.113.1' }))
        .status;
    const written = async () => (await s.deps.db.selectFrom('attempts').select('name').execute()).length;
    for (let index = 0; index < 20; index += 1) expect(await ask(index)).toBe(200);
    const before = await written();
    for (let index = 20; index < 30; index += 1) expect(await ask(index)).toBe(429);
    expect(await written()).toBe(before);
  });

  it('the site counts requests for unknown addresses, which may be old ones of posts, although their page is cached', async () => {
    const s = await site();
    s.deps.limits = new Limits(1 / 100);
    const statuses: number[] = [];
    for (let time = 0; time < 20; time += 1)
      statuses.push((await s.request('/2020/05/nothing', null, { peer: '203.0.113.1' })).status);
    expect(statuses[0]).toBe(302);
    expect(statuses.at(-1)).toBe(429);
    expect((await s.request('/2020/05/nothing', null, { peer: '203.0.113.2' })).status).toBe(302);
  });

  it('the site stops a member who likes faster than a person can, and nobody else', async () => {
    const s = await site();
    s.deps.limits = new Limits();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    const [one, two] = [await s.member(), await s.member()];
    const like = async () => {
      try {
        await s.call(one, 'setLike', { postId, liked: true });
        return 'liked';
      } catch (error) {
        return (error as { code?: string }).code;
      }
    };
    const answers = await Promise.all(Array.from({ length: 130 }, like));
    expect(answers.filter(answer => answer === 'liked')).toHaveLength(120);
    expect(answers.filter(answer => answer === 'resource-exhausted')).toHaveLength(10);
    expect((await s.call(two, 'setLike', { postId, liked: true })).likeCount).toBe(2);
  });

  it('the site stops visitors of a network with too many requests, but still answers them from caches', async () => {
    const s = await site();
    s.deps.limits = new Limits(0.01);
    const get = async (path: string, peer: string, as: Person = null) => {
      const answer = await s.request(path, as, { peer });
      return [answer.status, answer.headers.get('retry-after') !== null];
    };
    const made = await Promise.all(
      Array.from({ length: 15 }, (_, index) => get(`/?tags=${index}`, '203.0.113.1')),
    );
    expect(made.filter(([status]) => status === 429)).toEqual(Array(3).fill([429, true]));
    expect((await post(s, 'getPosts', { page: 2 }, { peer: '203.0.113.1' })).status).toBe(429);
    expect((await post(s, 'getSignUpTicket', {}, { peer: '203.0.113.1' })).status).toBe(429);
    // PostgreSQL may tell of the site's first writes only now: the next reader has the page made again.
    expect(await get('/', '203.0.113.2')).toEqual([200, false]);
    expect(await get('/', '203.0.113.1')).toEqual([200, false]);
    expect(await get('/?tags=other', '203.0.113.2')).toEqual([200, false]);
    // An account is counted by itself, wherever it reads.
    const [one, two] = [await s.member(), await s.member()];
    const pages = await Promise.all(
      Array.from({ length: 8 }, (_, index) => get('/', `203.0.113.${index}`, one)),
    );
    expect(pages.filter(([status]) => status === 429)).toEqual(Array(2).fill([429, true]));
    expect(await get('/', '203.0.113.1', two)).toEqual([200, false]);
  });

  it('the site counts what visitors of a network read that no page is: zips of pictures and its description', async () => {
    const s = await site();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    for (const path of [`/post/${postId}/pictures.zip`, '/api/docs', '/api/openapi.json']) {
      s.deps.limits = new Limits(0.01);
      const status = async () => (await s.request(path, null, { peer: '203.0.113.1' })).status;
      const statuses = await Promise.all(Array.from({ length: 13 }, status));
      expect(statuses.filter(one => one === 429)).toEqual([429]);
    }
    s.deps.limits = new Limits();
    const etag = (await s.request('/api/openapi.json')).headers.get('etag') ?? '';
    const known = { headers: { 'if-none-match': etag } };
    expect((await s.request('/api/openapi.json', null, known)).status).toBe(304);
  });

  it('68. the site stops a network that makes up tokens, and still knows a token that it has just been sent', async () => {
    const s = await site();
    const own = await s.member();
    s.deps.limits = new Limits(0.01);
    const status = async (authorization: string, peer: string) =>
      (await s.request('/api/getTags', null, { ...callOf({}, { authorization }), peer })).status;
    const bearer = `Bearer ${(await s.makeToken(own)).token}`;
    expect(await status(bearer, '203.0.113.1')).toBe(200);
    const statuses: number[] = [];
    for (const word of ['coterie_', '']) {
      for (let index = 0; index < 8; index += 1) {
        statuses.push(await status(`Bearer ${word}invented${index}`, '203.0.113.1'));
      }
    }
    expect(statuses).toEqual([...Array(12).fill(401), ...Array(4).fill(429)]);
    expect(await status(bearer, '203.0.113.1')).toBe(200);
    expect(await status('Bearer coterie_invented', '203.0.113.2')).toBe(401);
  });

  it('68. the site knows the tokens of a network whose visitors are stopped', async () => {
    const s = await site();
    const bearer = `Bearer ${(await s.makeToken(await s.member())).token}`;
    s.deps.limits = new Limits(0.01);
    const status = async (headers: Record<string, string>) =>
      (await s.request('/api/getTags', null, { ...callOf({}, headers), peer: '203.0.113.1' })).status;
    const visits: number[] = [];
    for (let index = 0; index < 13; index += 1) {
      visits.push((await post(s, 'getPosts', { page: index + 1 }, { peer: '203.0.113.1' })).status);
    }
    expect(visits.at(-1)).toBe(429);
    expect(await status({ authorization: bearer })).toBe(200);
  });

  it('40. a /48 is limited as a whole, however many of its networks send requests', async () => {
    const s = await site();
    const bucket = { name: 'tries from', points: 2, seconds: 60 };
    const take = async (network: string) => await refused(takeAttemptFrom(s.deps, network, bucket));
    const taken: boolean[] = [];
    for (let index = 0; index < 17; index += 1) {
      taken.push(await take(networkOf(`2001:db8:0:${(index * 256).toString(16)}::1`)));
    }
    expect(taken).toEqual([...Array(16).fill(false), true]);
    expect(await take(networkOf('2001:db8:1::1'))).toBe(false);
    expect([await take('203.0.113.1'), await take('203.0.113.1'), await take('203.0.113.1')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('40. the site writes nothing for an attempt beyond the limit, and starts again once the time is over', async () => {
    const s = await site();
    const bucket = { name: 'tries from', points: 2, seconds: 60 };
    const take = async () => await refused(takeAttemptFrom(s.deps, '203.0.113.1', bucket));
    const points = async () =>
      (await s.deps.db.selectFrom('attempts').select('points').executeTakeFirstOrThrow()).points;
    const tries = [await take(), await take(), await take(), await take()];
    expect(tries).toEqual([false, false, true, true]);
    expect(await points()).toBe(2);
    s.wait(60_000);
    expect([await take(), await points()]).toEqual([false, 1]);
  });

  it('68. an account opens only so many streams a minute, and visitors are counted by network', async () => {
    const s = await site();
    const [one, two] = [await s.member(), await s.member()];
    s.deps.limits = new Limits(0.05);
    const open = async (as: Person, peer?: string) => {
      const answer = await s.request('/live', as, peer === undefined ? {} : { peer });
      await answer.body?.cancel();
      return answer.status;
    };
    const times = async (count: number, as: Person, peer?: string) => {
      const statuses: number[] = [];
      for (let index = 0; index < count; index += 1) statuses.push(await open(as, peer));
      return statuses;
    };
    expect(await times(7, one)).toEqual([...Array(6).fill(200), 429]);
    expect(await open(two)).toBe(200);
    expect((await times(61, null, '203.0.113.1')).filter(status => status !== 204)).toEqual([429]);
    expect(await open(null, '203.0.113.2')).toBe(204);
  });

  it('searches are counted by account, and those of visitors by network', async () => {
    const s = await site();
    const lucy = await s.member();
    s.deps.limits = new Limits(0.05);
    const search = async (index: number, as: Person, peer: string) =>
      (await s.request('/api/search', as, { ...callOf({ q: `river${index}` }), peer })).status;
    const statuses: number[] = [];
    for (let index = 0; index < 4; index += 1) statuses.push(await search(index, lucy, '203.0.113.1'));
    expect(statuses).toEqual([200, 200, 200, 429]);
    for (let index = 0; index < 4; index += 1) statuses.push(await search(index, null, '203.0.113.1'));
    expect(statuses.slice(4)).toEqual([200, 200, 200, 429]);
    expect(await search(4, null, '203.0.113.2')).toBe(200);
  });

  it('the site counts the comments of an account for all processes together', async () => {
    const place = await migrated();
    const sites = [await openSite(place), await openSite(place)];
    try {
      for (const s of sites) s.deps.limits = new Limits();
      const [one, two] = sites as [Site, Site];
      const [postId = ''] = await publish(one, await one.admin(), essay());
      two.wait(one.deps.clock() - two.deps.clock());
      const [member, other] = [await one.member(), await one.member()];
      const comment = async (index: number, as: Person) => {
        const s = index % 2 === 0 ? one : two;
        return await s.call(as, 'addComment', { postId, content: `${index}` }).then(
          () => 'said',
          (error: { code?: string }) => error.code,
        );
      };
      const answers: unknown[] = [];
      for (let index = 0; index < 22; index += 1) answers.push(await comment(index, member));
      expect(answers).toEqual([...Array(20).fill('said'), ...Array(2).fill('resource-exhausted')]);
      expect(await comment(1, other)).toBe('said');

      // By the minute alone, a reader who hears of comments by mail would get 1,200 an hour of one member.
      const hour: unknown[] = answers.filter(answer => answer === 'said');
      for (let minute = 0; minute < 10; minute += 1) {
        for (const s of sites) s.wait(61_000);
        for (let index = 0; index < 20; index += 1) hour.push(await comment(index, member));
      }
      expect(hour).toEqual([...Array(200).fill('said'), ...Array(20).fill('resource-exhausted')]);
    } finally {
      for (const s of sites) await s.close();
    }
  });
});
