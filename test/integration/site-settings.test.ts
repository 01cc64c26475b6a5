import { sql } from 'kysely';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { up } from '../../server/db/migrations/0085-all-site-settings.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { openSite, refusal } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it('a changed setting is on the next page of every process', async () => {
    const place = await migrated();
    const [s, other] = [await openSite(place), await openSite(place)];
    const admin = await s.admin();
    expect(await (await other.request('/')).text()).toContain('<title>Coterie</title>');
    await s.call(admin, 'saveSiteSettings', { values: { title: 'The Lockhouse' }, version: 0 });
    expect(await (await other.request('/')).text()).toContain('<title>The Lockhouse</title>');
    expect(await (await other.request('/manifest.webmanifest')).json()).toMatchObject({
      name: 'The Lockhouse',
    });
    expect(await (await other.request('/feed.xml')).text()).toContain('<title>The Lockhouse</title>');
    // Each asks for the newest settings itself.
    const addresses = ['/robots.txt', '/sitemap.xml', '/.well-known/security.txt'];
    const change = async (version: number, noindex: 'true' | 'false', securityContact: string) =>
      await s.call(admin, 'saveSiteSettings', { values: { noindex, securityContact }, version });
    for (const [index, path] of addresses.entries()) {
      await change(2 * index + 1, 'true', 'mailto:a@example.com');
      const before = await (await other.request(path)).text();
      await change(2 * index + 2, 'false', '');
      const after = await (await other.request(path)).text();
      expect([path, before !== after]).toEqual([path, true]);
    }
    await other.close();
    await s.close();
  });

  it('a date that is cached follows the time zone and the language', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'createPost', { type: 'short', content: 'Hello', isDraft: false });
    const dateOf = async () => (await s.call(null, 'getPosts', {})).posts[0]?.publishedOn;
    expect(await dateOf()).toBe('January 1, 2026');
    const values = { timeZone: 'America/New_York', dateLanguage: 'de' };
    await s.call(admin, 'saveSiteSettings', { values, version: 0 });
    expect(await dateOf()).toBe('31. Dezember 2025');
  });

  it('the environment wins, locks a setting and says so', async () => {
    const s = await openSite(await migrated(), { SITE_TITLE: 'From the environment' });
    const admin = await s.admin();
    const { values, lockedBy } = await s.call(admin, 'getSiteSettings', {});
    expect([values.title, lockedBy]).toEqual(['From the environment', { title: 'SITE_TITLE' }]);
    const change = { values: { title: 'Other' }, version: 0 };
    expect(await refusal(s.call(admin, 'saveSiteSettings', change))).toBe('failed-precondition');
    await s.close();
  });

  it('a change of settings is in the history, and can be taken back once', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'saveSiteSettings', { values: { title: 'One', tagline: 'Two' }, version: 0 });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'setting-changed' });
    expect(entries.map(({ thing, before, after }) => [thing?.name, before, after])).toEqual(
      expect.arrayContaining([
        ['Name', 'Coterie', 'One'],
        ['One line about it', '', 'Two'],
      ]),
    );
    const { values, lastChange } = await s.call(admin, 'undoSiteSettings', { version: 1 });
    expect(values.title).toBe('Coterie');
    const changes = [
      { label: 'Name', before: 'One', after: 'Coterie' },
      { label: 'One line about it', before: 'Two', after: '' },
    ];
    expect(lastChange).toMatchObject({ by: admin.username, changes });
  });

  it('a change of settings that the environment decides about since is not taken back without a word', async () => {
    const place = await migrated();
    const before = await openSite(place);
    const admin = await before.admin();
    await before.call(admin, 'saveSiteSettings', { values: { title: 'One' }, version: 0 });
    await before.close();
    const s = await openSite(place, { SITE_TITLE: 'From the environment' });
    expect(await refusal(s.call(admin, 'undoSiteSettings', { version: 1 }))).toBe('failed-precondition');
    await s.close();
  });

  it('a change of settings that an admin has not seen is not overwritten', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'saveSiteSettings', { values: { title: 'One' }, version: 0 });
    const late = s.call(admin, 'saveSiteSettings', { values: { tagline: 'Two' }, version: 0 });
    expect(await refusal(late)).toBe('aborted');
  });

  it('a wrong value of a setting is refused with the sentence of its field', async () => {
    const s = await site();
    const wrong = { values: { timeZone: 'Vienna' }, version: 0 };
    await expect(s.call(await s.admin(), 'saveSiteSettings', wrong)).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { fields: { 'values.timeZone': 'It must be a time zone name such as Europe/Vienna.' } },
    });
  });

  it('a picture of the settings is shown to everybody, and goes with its last mention', async () => {
    const [s, admin] = await siteWithAdmin();
    const bytes = await pngOf('#803010');
    const { name } = await s.call(admin, 'uploadSitePicture', { kind: 'icon', bytes });
    await s.call(admin, 'saveSiteSettings', { values: { icon: name }, version: 0 });
    const address = `/site/icon-192-${name}.png`;
    expect(await (await s.request('/')).text()).toContain(address);
    const { icons } = await (await s.request('/manifest.webmanifest')).json();
    expect(icons[0].src).toBe(address);
    expect((await s.request(address)).headers.get('content-type')).toBe('image/png');
    await s.call(admin, 'saveSiteSettings', { values: { icon: '' }, version: 1 });
    // The step back still needs it.
    expect((await s.request(address)).status).toBe(200);
    s.wait(24 * 60 * 60_000);
    await s.call(admin, 'saveSiteSettings', { values: { title: 'Other' }, version: 2 });
    expect((await s.request(address)).headers.get('content-type')).not.toBe('image/png');
  });

  it('a site without an icon has its initial in its colour as the icon of its tab', async () => {
    const [s, admin] = await siteWithAdmin();
    const iconOf = async () => {
      const links = (await (await s.request('/')).text()).matchAll(/<link rel="icon" href="([^"]+)"/g);
      return [...links].map(([, address = '']) => address).at(-1) ?? '';
    };
    const before = await iconOf();
    const values = { title: '“& <more>”', accent: '#7a2a66' };
    await s.call(admin, 'saveSiteSettings', { values, version: 0 });
    // Another address, so that no browser shows the one before.
    expect(await iconOf()).not.toBe(before);
    const answer = await s.request(await iconOf());
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const side = [...data.subarray(info.channels * (16 * info.width + 1)).subarray(0, 3)];
    expect(side).toEqual([0x7a, 0x2a, 0x66].map(value => expect.closeTo(value, -2)));
    await s.call(admin, 'saveSiteSettings', { values: { title: '< & >' }, version: 1 });
    expect(await (await s.request(await iconOf())).text()).toContain('>&lt;</text>');
    await s.call(admin, 'saveSiteSettings', { values: { title: 'the lockhouse' }, version: 2 });
    expect(await (await s.request(await iconOf())).text()).toContain('>T</text>');
  });

  it('pictures that no page shows are read only so often for a network, and those of pages always', async () => {
    const [s, admin] = await siteWithAdmin();
    const upload = async (colour: string) => {
      const bytes = await pngOf(colour);
      return (await s.call(admin, 'uploadSitePicture', { kind: 'icon', bytes })).name;
    };
    const [icon, unsaved] = [await upload('#108030'), await upload('#103080')];
    await s.call(admin, 'saveSiteSettings', { values: { icon }, version: 0 });
    // Twelve in a minute.
    s.deps.limits = new Limits(0.01);
    const statuses = async (path: string) => {
      const found: number[] = [];
      for (let time = 0; time < 13; time += 1)
        found.push((await s.request(path, null, { peer: '203.0.113.1' })).status);
      return found;
    };
    expect(await statuses(`/site/icon-192-${unsaved}.png`)).toEqual([...Array(12).fill(200), 429]);
    expect(await statuses(`/site/icon-192-${icon}.png`)).toEqual(Array(13).fill(200));
    expect(await statuses('/favicon.ico')).toEqual(Array(13).fill(200));
  });

  it('a picture that an admin has chosen and not saved yet survives what another admin saves', async () => {
    const [s, admin] = await siteWithAdmin();
    const { name } = await s.call(admin, 'uploadSitePicture', {
      kind: 'icon',
      bytes: await pngOf('#108030'),
    });
    const { name: other } = await s.call(admin, 'uploadSitePicture', {
      kind: 'cover',
      bytes: await pngOf('#103080'),
    });
    await s.call(admin, 'saveSiteSettings', { values: { cover: other }, version: 0 });
    await s.call(admin, 'saveSiteSettings', { values: { icon: name }, version: 1 });
    expect((await s.request(`/site/icon-192-${name}.png`)).status).toBe(200);
  });

  it('what no page shows of the settings leaves cached posts alone', async () => {
    const [s, admin] = await siteWithAdmin();
    const recorded = async () =>
      (await s.deps.db.selectFrom('changes').select('seq').where('kind', '=', 'settings').execute()).length;
    const before = await recorded();
    await s.call(admin, 'uploadSitePicture', { kind: 'icon', bytes: await pngOf('#803010') });
    await s.call(admin, 'requestBackup', {});
    await s.call(admin, 'leaveOutFirstStep', { step: 'about' });
    expect(await recorded()).toBe(before);
    await s.call(admin, 'saveSiteSettings', { values: { title: 'Other' }, version: 0 });
    expect(await recorded()).toBeGreaterThan(before);
  });

  it('an icon that is no picture, or is not stored, is refused', async () => {
    const [s, admin] = await siteWithAdmin();
    const noPicture = s.call(admin, 'uploadSitePicture', { kind: 'cover', bytes: 'bm90aGluZw==' });
    expect(await refusal(noPicture)).toBe('invalid-argument');
    const values = { cover: 'x'.repeat(22) };
    expect(await refusal(s.call(admin, 'saveSiteSettings', { values, version: 0 }))).toBe('invalid-argument');
  });

  it('a link in the footer leads nowhere that a browser would run', async () => {
    const s = await site();
    const values = { footer: [{ label: 'Hello', address: 'javascript:alert(1)' }] };
    const save = s.call(await s.admin(), 'saveSiteSettings', { values, version: 0 });
    expect(await refusal(save)).toBe('invalid-argument');
  });

  it('a new post takes no comments where they are off for new ones', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const publish = async () =>
      (await s.call(admin, 'createPost', { type: 'short', content: 'Hello', isDraft: false })).post.id;
    const before = await publish();
    await s.call(admin, 'saveSiteSettings', { values: { comments: 'off' }, version: 0 });
    const comment = (postId: string) => s.call(member, 'addComment', { postId, content: 'Hello' });
    expect(await refusal(comment(await publish()))).toBe('failed-precondition');
    await comment(before);
  });

  it('nobody signs up where only invited people or nobody may', async () => {
    const [s, admin] = await siteWithAdmin();
    const invite = async () => {
      const { made } = await s.call(admin, 'createInvitations', { tags: [], for: { uses: 5 } });
      return new URL(made[0]?.link ?? '').searchParams.get('token') ?? '';
    };
    const token = await invite();
    await s.call(admin, 'saveSiteSettings', { values: { signUp: 'invited' }, version: 0 });
    expect(await refusal(s.call(null, 'signUp', account))).toBe('failed-precondition');
    await s.call(null, 'joinByInvitation', { token, ...account });
    await s.call(admin, 'saveSiteSettings', { values: { signUp: 'nobody' }, version: 1 });
    const other = { ...account, username: 'lucy', email: 'lucy@example.com' };
    expect(await refusal(s.call(null, 'joinByInvitation', { token, ...other }))).toBe('failed-precondition');
  });

  it('an upgrade keeps whether posts name their authors and when comments close, also for a step back', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'saveSiteSettings', { values: { title: 'One' }, version: 0 });
    const { db } = s.deps;
    await sql`insert into settings (name, value)
      values ('names-authors', 'false'), ('comments-close-after', '45')`.execute(db);
    await up(db);
    await up(db);
    const kept = { namesAuthors: 'false', commentsCloseAfter: '45' };
    const { values } = await s.call(admin, 'getSiteSettings', {});
    expect(values).toMatchObject({ title: 'One', ...kept });
    const undone = await s.call(admin, 'undoSiteSettings', { version: 1 });
    expect(undone.values).toMatchObject({ title: 'Coterie', ...kept });
    const { rows } = await sql`select name from settings where name like 'names-%'`.execute(db);
    expect(rows).toEqual([]);
  });
});

/** A picture of one colour, as a browser sends it. */
async function pngOf(background: string): Promise<string> {
  const picture = sharp({ create: { width: 600, height: 400, channels: 3, background } });
  return (await picture.png().toBuffer()).toString('base64');
}
