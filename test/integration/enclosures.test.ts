import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import type { Person, Site } from '../support/site.ts';
import { silence } from '../support/sounds.ts';
import { upload } from '../support/storage.ts';

/** A member with a feed, and an open post and one for friends, each with a sound. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  const files: string[] = [];
  for (const name of ['open.wav', 'closed.wav']) files.push((await upload(s, admin, name, silence)).url);
  const [open = '', closed = ''] = files;
  const attached = (url: string, ...tags: string[]) => ({
    ...essay({ tags }),
    attachments: [{ url, description: null }],
  });
  const [, postId = ''] = await publish(s, admin, attached(open), attached(closed, 'friends'));
  const feed = async (as: Person) => {
    const { pathname, search } = new URL((await s.call(as, 'makePersonalFeed', {})).url);
    return pathname + search;
  };
  /** The paths of the enclosures of a feed, the newest post first. */
  const enclosures = async (path: string) => {
    const text = await (await s.request(path)).text();
    const links = text.matchAll(/<link rel="enclosure" href="([^"]+)" type="audio\/[\w-]+" length="(\d+)"/g);
    return [...links].map(([, href = '', length]) => ({
      path: href.replace(s.config.publicUrl, ''),
      length: Number(length),
    }));
  };
  const status = async (path: string) => (await s.request(path)).status;
  return { admin, lucy, postId, open, closed, feed, enclosures, status };
}

describeEngines(({ site, siteWithAdmin }) => {
  it('sounds in a personal feed play without a session, with the rights of its owner', async () => {
    const s = await site();
    const { admin, lucy, open, closed, feed, enclosures, status } = await scene(s);
    expect(await enclosures('/feed.xml')).toEqual([{ path: open, length: silence.length }]);
    const [first, second, ...others] = await enclosures(await feed(lucy));
    expect([second?.path.split('?')[0], others]).toEqual([open, []]);
    const path = first?.path ?? '';
    expect(path.split('?')[0]).toBe(closed);
    const answer = await s.request(path, null, { headers: { range: 'bytes=0-3' } });
    expect([answer.status, await answer.text()]).toEqual([206, 'RIFF']);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await status(closed)).toBe(404);
    // A signature is for one file.
    expect(await status(`${closed}?${second?.path.split('?')[1]}`)).toBe(404);
    expect(await status(`${closed}?feed=x`)).toBe(404);
    await s.call(admin, 'setApprovedTags', { userId: lucy.id, tags: [] });
    expect(await status(path)).toBe(404);
  });

  it('sounds of a personal feed end with the feed, with all sessions, and with a denial', async () => {
    const s = await site();
    const { admin, lucy, feed, enclosures, status } = await scene(s);
    const next = async () => (await enclosures(await feed(lucy)))[0]?.path ?? '';
    const before = await next();
    const after = await next();
    expect([await status(before), await status(after)]).toEqual([404, 200]);
    await s.call(lucy, 'signOutEverywhere', {});
    expect(await status(after)).toBe(404);
    const [mina] = [await s.member(['friends'], 'mina')];
    const hers = (await enclosures(await feed(mina)))[0]?.path ?? '';
    expect(await status(hers)).toBe(200);
    await s.call(admin, 'denyUser', { userId: mina.id });
    expect(await status(hers)).toBe(404);
  });

  it('a sound that its author names only in notes that do not show is in no feed', async () => {
    const [s, admin] = await siteWithAdmin();
    const shown = (await upload(s, admin, 'shown.wav', silence)).url;
    const noted = (await upload(s, admin, 'outtake.wav', silence)).url;
    const notes = `<!-- ${noted} -->\n\nRain.\n\n[take]: ${noted}`;
    const silent = essay({ title: 'Silent', content: notes });
    await publish(
      s,
      admin,
      essay({ title: 'Heard', content: `[Sound: rain](${shown})\n\n${notes}` }),
      silent,
    );
    for (const path of ['/feed.xml', '/podcast.xml']) {
      const feed = await (await s.request(path)).text();
      expect(feed, path).toContain(shown);
      expect(feed, path).not.toContain('outtake');
      expect(feed.includes('Silent'), path).toBe(path === '/feed.xml');
    }
  });
});
