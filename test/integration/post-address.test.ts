import { expect, it, vi } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { describeEngines } from '../support/engines.ts';
import { insertSession } from '../support/people.ts';
import { postByMail } from '../support/post-by-mail.ts';
import type { Person, Site } from '../support/site.ts';

describeEngines(({ site }) => {
  it.each([
    ['ends', (s: Site, lucy: Person) => s.call(lucy, 'endPostAddress', {})],
    [
      'becomes one for drafts',
      (s: Site, lucy: Person) => s.call(lucy, 'makePostAddress', { publishes: false }),
    ],
  ])('a mail becomes no post if its address %s while a file is stored', async (_, end) => {
    const s = await site();
    const { lucy, make, send, posts, told } = await postByMail(s);
    const address = await make(true);
    const { put } = s.deps.files;
    const stored = vi.spyOn(s.deps.files, 'put').mockImplementationOnce(async (...file) => {
      await end(s, lucy);
      await put(...file);
    });
    const file = '--x\nContent-Type: application/pdf; name="map.pdf"\n\n%PDF-1.4\nA map\n--x--';
    const type = { 'Content-Type': 'multipart/mixed; boundary="x"' };
    expect(await send(address, type, file)).toBe('refused');
    expect(stored).toHaveBeenCalledOnce();
    expect(await posts()).toEqual([]);
    expect((await told())[0]?.text).toContain('The address to which you sent your email has ended.');
  });

  it('an address for posts of a former author or admin does not work again with a new role', async () => {
    const s = await site();
    const { admin, lucy, make, send } = await postByMail(s);
    const setAuthor = (isAuthor: boolean) => s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor });
    const setAdmin = (isAdmin: boolean) => s.call(admin, 'setAdmin', { userId: lucy.id, isAdmin });
    const first = await make();
    await setAuthor(false);
    expect(await send(first)).toBe('refused');
    await setAuthor(true);
    expect(await send(first, { 'Message-ID': '<1b@phone.example>' })).toBe('ignored');
    const second = await make();
    await setAdmin(true);
    expect(await send(second)).toBe('post');
    await setAdmin(false);
    await setAuthor(true);
    expect(await send(second, { 'Message-ID': '<2@phone.example>' })).toBe('ignored');
  });

  it('a copy of one’s data says whether an address for posts publishes, alike on both engines', async () => {
    const s = await site();
    const { lucy, make } = await postByMail(s);
    for (const publishes of [true, false]) {
      await make(publishes);
      const { data } = await s.call(lucy, 'exportAccount', {});
      expect(data).toMatchObject({ postAddress: { isPublishing: publishes } });
    }
  });

  it('an address for posts ends with its stop, with all sessions and with a denial', async () => {
    const s = await site();
    const { lucy, make, send } = await postByMail(s);
    const ends = [
      () => s.call(lucy, 'endPostAddress', {}),
      () => s.call(lucy, 'signOutEverywhere', {}),
      () => denyUser(s.deps, lucy.id),
    ];
    const [cookie] = lucy.cookie.split('=');
    for (const [index, end] of ends.entries()) {
      const session = await insertSession(s.deps, lucy.id);
      const address = await make(true, { ...lucy, cookie: `${cookie}=${session}` });
      const key = /\+([0-9a-f]{32})@/.exec(address)?.[1] ?? address;
      const stored = JSON.stringify(await s.deps.db.selectFrom('post_addresses').selectAll().execute());
      expect(stored).not.toContain(key);
      // The address works until then.
      expect(await send(address, { 'Message-ID': `<${index}@phone.example>` })).toBe('post');
      await end();
      expect(await send(address, { 'Message-ID': `<late-${index}@phone.example>` })).toBe('ignored');
    }
    expect(await s.deps.db.selectFrom('posts').select('id').execute()).toHaveLength(ends.length);
  });
});
