import { expect, it } from 'vitest';
import { renewalOf } from '../../server/accounts/sessions/session-rows.ts';
import { timeOf } from '../../server/db/tables.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { signedUp } from '../support/signed-up.ts';
import { post, type Site } from '../support/site.ts';

const { email, password } = account;

describeEngines(({ site }) => {
  const day = 24 * 60 * 60_000;
  const begin = async (s: Site, keepSignedIn?: boolean) => {
    const person = await post(s, 'signIn', {
      email,
      password,
      ...(keepSignedIn !== undefined && { keepSignedIn }),
    });
    const set = person.headers.getSetCookie().find(one => one.startsWith('coterie-session=')) ?? '';
    return { set, person };
  };
  const rows = (s: Site) =>
    s.deps.db.selectFrom('sessions').select(['id', 'expires_at', 'is_long']).orderBy('created_at').execute();

  it('38. short sessions end with the browser and after a day, however much they are used', async () => {
    const s = await site();
    await signedUp(s);
    await s.deps.db.deleteFrom('sessions').execute();
    const { set, person } = await begin(s, false);
    expect(set).not.toMatch(/Max-Age|Expires/i);
    const [before] = await rows(s);
    const left = timeOf(before?.expires_at ?? '') - s.deps.clock();
    expect([left > day - 60_000, left <= day, Boolean(before?.is_long)]).toEqual([true, true, false]);
    // Used when a long one would go on.
    const used = await s.request('/account', person);
    expect(used.headers.getSetCookie()).toEqual([]);
    expect(await rows(s)).toEqual([before]);
    expect((await s.call(person, 'getAccount', {})).sessions).toMatchObject([{ isLong: false }]);
    await s.deps.db
      .updateTable('sessions')
      .set({ expires_at: new Date(s.deps.clock() - 1).toISOString() })
      .execute();
    expect((await s.call(person, 'getViewer', {})).user).toBeNull();
  });

  it('short sessions stay short after a new password', async () => {
    const s = await site();
    await signedUp(s);
    const { person } = await begin(s, false);
    const response = await post(
      s,
      'changePassword',
      { currentPassword: password, newPassword: 'another1' },
      { cookie: person.cookie },
    );
    expect(response.headers.getSetCookie()[0]).toMatch(/^coterie-session=/);
    expect(response.headers.getSetCookie()[0]).not.toMatch(/Max-Age/i);
    expect((await rows(s)).map(row => Boolean(row.is_long))).toEqual([false]);
  });

  it('sessions on a device that others use are short if the box is not checked in the form without scripts', async () => {
    const s = await site();
    await signedUp(s);
    const send = async (fields: Record<string, string>) => {
      const form = await s.request('/login', null, {
        method: 'POST',
        headers: {
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: `${new URLSearchParams({ email, password, ...fields })}`,
      });
      return form.headers.getSetCookie()[0] ?? '';
    };
    expect(await send({})).not.toMatch(/Max-Age/i);
    expect(await send({ keepSignedIn: 'on' })).toMatch(/Max-Age=2592000/i);
  });

  it('long sessions are prolonged by use', async () => {
    const s = await site();
    await signedUp(s);
    await s.deps.db.deleteFrom('sessions').execute();
    const { set, person } = await begin(s);
    expect(set).toMatch(/Max-Age=2592000/i);
    await s.deps.db
      .updateTable('sessions')
      .set({ expires_at: new Date(s.deps.clock() + day).toISOString() })
      .execute();
    const used = await s.request('/account', person);
    expect(used.headers.getSetCookie().join()).toMatch(/coterie-session=.*Max-Age=2592000/i);
    const [after] = await rows(s);
    expect(timeOf(after?.expires_at ?? '') - s.deps.clock()).toBeGreaterThan(29 * day);
    expect((await s.call(person, 'getAccount', {})).sessions).toMatchObject([{ isLong: true }]);
  });

  it('long sessions are prolonged exactly when their viewer is looked up again', async () => {
    const s = await site();
    await signedUp(s);
    await s.deps.db.deleteFrom('sessions').execute();
    const { person } = await begin(s);
    const isProlonged = async (fromRenewalMs: number) => {
      const now = s.deps.clock();
      const expiresAt = new Date(2 * now - renewalOf(now) + fromRenewalMs).toISOString();
      await s.deps.db.updateTable('sessions').set({ expires_at: expiresAt }).execute();
      await s.call(person, 'getViewer', {});
      const [after] = await rows(s);
      return timeOf(after?.expires_at ?? '') !== Date.parse(expiresAt);
    };
    expect(await isProlonged(-60_000)).toBe(true);
    expect(await isProlonged(60_000)).toBe(false);
  });
});
