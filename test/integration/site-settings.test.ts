import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { openSite, refusal } from '../support/site.ts';

describeEngines('settings of the site', ({ site, migrated }) => {
  it('a change is on the next page of every process', async () => {
    const place = await migrated();
    const [s, other] = [await openSite(place), await openSite(place)];
    const admin = await s.admin();
    expect(await (await other.request('/')).text()).toContain('<title>Coterie</title>');
    await s.call(admin, 'saveSiteSettings', { values: { title: 'The Lockhouse' }, seenVersion: 0 });
    expect(await (await other.request('/')).text()).toContain('<title>The Lockhouse</title>');
    expect(await (await other.request('/manifest.webmanifest')).json()).toMatchObject({
      name: 'The Lockhouse',
    });
    expect(await (await other.request('/feed.xml')).text()).toContain('<title>The Lockhouse</title>');
    await other.close();
    await s.close();
  });

  it('a date that is cached follows the time zone and the language', async () => {
    const s = await site();
    const admin = await s.admin();
    await s.call(admin, 'createPost', { type: 'short', content: 'Hello', isDraft: false });
    const dateOf = async () => (await s.call(null, 'getPosts', {})).posts[0]?.publishedOn;
    expect(await dateOf()).toBe('January 1, 2026');
    const values = { timeZone: 'America/New_York', dateLanguage: 'de' };
    await s.call(admin, 'saveSiteSettings', { values, seenVersion: 0 });
    expect(await dateOf()).toBe('31. Dezember 2025');
  });

  it('the environment wins, locks a setting and says so', async () => {
    const s = await openSite(await migrated(), { SITE_TITLE: 'From the environment' });
    const admin = await s.admin();
    const { values, lockedBy } = await s.call(admin, 'getSiteSettings', {});
    expect([values.title, lockedBy]).toEqual(['From the environment', { title: 'SITE_TITLE' }]);
    const change = { values: { title: 'Other' }, seenVersion: 0 };
    expect(await refusal(s.call(admin, 'saveSiteSettings', change))).toBe('failed-precondition');
    await s.close();
  });

  it('a change is in the history, and can be taken back once', async () => {
    const s = await site();
    const admin = await s.admin();
    await s.call(admin, 'saveSiteSettings', { values: { title: 'One', tagline: 'Two' }, seenVersion: 0 });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'setting-changed' });
    expect(entries.map(({ thing, before, after }) => [thing?.name, before, after])).toEqual(
      expect.arrayContaining([
        ['Name', 'Coterie', 'One'],
        ['One line about it', '', 'Two'],
      ]),
    );
    const { values, lastChange } = await s.call(admin, 'undoSiteSettings', { seenVersion: 1 });
    expect(values.title).toBe('Coterie');
    expect(lastChange).toMatchObject({ by: admin.username });
  });

  it('a change that an admin has not seen is not overwritten', async () => {
    const s = await site();
    const admin = await s.admin();
    await s.call(admin, 'saveSiteSettings', { values: { title: 'One' }, seenVersion: 0 });
    const late = s.call(admin, 'saveSiteSettings', { values: { tagline: 'Two' }, seenVersion: 0 });
    expect(await refusal(late)).toBe('aborted');
  });

  it('a wrong value is refused with the sentence of its field', async () => {
    const s = await site();
    const wrong = { values: { timeZone: 'Vienna' }, seenVersion: 0 };
    await expect(s.call(await s.admin(), 'saveSiteSettings', wrong)).rejects.toMatchObject({
      code: 'invalid-argument',
      details: { fields: { 'values.timeZone': 'It must be a time zone name such as Europe/Vienna.' } },
    });
  });
});
