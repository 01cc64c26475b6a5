import { expect, it } from 'vitest';
import { approveUser, setApprovedTags } from '../../server/accounts/members/decide.ts';
import { accountOfPerson } from '../../server/accounts/openid/accounts.ts';
import { insertAccount } from '../../server/accounts/sign-in/insert.ts';
import { importItems, post } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { accounts, enter, mina, openidProvider, openidSites } from '../support/openid.ts';

const provider = await openidProvider();

describeEngines(({ migrated }) => {
  const { withSite } = openidSites(provider, migrated);

  it(
    'an OpenID sign-in makes an account that waits for approval, and finds it again',
    withSite(async s => {
      provider.people.set('mina', mina);
      const first = await enter(s, 'mina');
      expect(first.led).toBe('/tags/red');
      const { user } = await s.call(first.person, 'getViewer', {});
      expect(user).toMatchObject({
        username: 'mina_harker',
        name: 'Mina Harker',
        email: 'mina@example.com',
        pendingApproval: true,
        isEmailConfirmed: true,
      });
      // Another address there is no other person.
      provider.people.set('mina', { ...mina, email: 'wilhelmina@example.com' });
      const second = await enter(s, 'mina');
      expect((await s.call(second.person, 'getViewer', {})).user?.id).toBe(user?.id);
      expect(await accounts(s)).toHaveLength(1);
      // Each provider names people as it likes: the same name at another one is another person.
      const { issuer } = provider;
      expect(await accountOfPerson(s.deps.db, { issuer, subject: 'mina' })).toBe(user?.id);
      const elsewhere = { issuer: 'https://id.example.org', subject: 'mina' };
      expect(await accountOfPerson(s.deps.db, elsewhere)).toBeUndefined();
    }),
  );

  it(
    'an OpenID sign-in makes one account for a newcomer who comes in several tabs at once',
    withSite(async s => {
      provider.people.set('mina', mina);
      const tabs = await Promise.all(Array.from({ length: 4 }, () => enter(s, 'mina')));
      for (const { led } of tabs) expect(led).toBe('/tags/red');
      expect(await accounts(s)).toHaveLength(1);
    }),
  );

  it(
    'an OpenID sign-in gives no newcomer a username that reads like that of an admin',
    withSite(async s => {
      provider.people.set('eve', { ...mina, sub: 'eve', preferred_username: 'Admin' });
      const { person } = await enter(s, 'eve');
      expect((await s.call(person, 'getViewer', {})).user?.username).toBe('reader');
    }),
  );

  it(
    'an OpenID sign-in finds a username for a newcomer though somebody has taken all that are like it',
    withSite(async s => {
      for (let number = 1; number <= 50; number += 1) {
        const username = `reader${number === 1 ? '' : number}`;
        await insertAccount(s.deps.db, {
          id: username,
          email: `${username}@example.com`,
          isEmailVerified: false,
          username,
          name: 'Eve',
          passwordHash: null,
          status: 'pending',
          isAdmin: false,
          createdAt: 1,
          decidedAt: null,
        });
      }
      for (const sub of ['ming', 'wei']) {
        provider.people.set(sub, { ...mina, sub, email: `${sub}@example.com`, name: '李明' });
        const { person } = await enter(s, sub);
        expect((await s.call(person, 'getViewer', {})).user?.username).toMatch(/^reader_\w+$/);
      }
    }),
  );

  it(
    'an OpenID sign-in gives nobody an account that has the address already, confirmed or not',
    withSite(async s => {
      const owner = await s.signUp('owner');
      const { email } = await s.deps.db
        .selectFrom('users')
        .select('email')
        .where('id', '=', owner.id)
        .executeTakeFirstOrThrow();
      for (const email_verified of [true, false]) {
        provider.people.set('thief', { sub: 'thief', email, email_verified });
        const { led, person } = await enter(s, 'thief');
        expect(led).toBe('/login?failed=openid-taken');
        expect(person?.cookie).toBe('');
      }
      expect(await accounts(s)).toHaveLength(1);
    }),
  );

  it(
    'an OpenID sign-in leaves an address that the provider has not confirmed unconfirmed',
    withSite(async s => {
      provider.people.set('lucy', { sub: 'lucy', email: 'lucy@example.com' });
      await enter(s, 'lucy');
      expect((await accounts(s)).map(({ email_verified }) => Boolean(email_verified))).toEqual([false]);
      const mails = await s.deps.db.selectFrom('mails').select('kind').execute();
      expect(mails).toEqual([{ kind: 'confirm' }]);
    }),
  );

  it(
    'an OpenID sign-in adds no tag that an import made for a group of its source, which may have the name of another group here',
    withSite(async s => {
      await importItems(s, [post({ audience: ['red'] })]);
      provider.people.set('mina', { ...mina, groups: ['red'] });
      const { person } = await enter(s, 'mina');
      const { user } = await s.call(person, 'getViewer', {});
      await approveUser(s.deps, user?.id ?? '');
      await enter(s, 'mina');
      expect((await s.call(person, 'getPosts', {})).posts).toEqual([]);
    }),
  );

  it(
    'an OpenID sign-in adds the tags that the provider names, never those that an admin has taken, and nothing before approval',
    withSite(async s => {
      const admin = await s.admin();
      const [postId = ''] = await publish(s, admin, shortPost('shut', ['red']));
      await publish(s, admin, shortPost('other', ['blue']));
      provider.people.set('mina', { ...mina, groups: ['Red', 'unheard of'] });
      const { person } = await enter(s, 'mina');
      await expect(s.call(person, 'getPost', { postId })).rejects.toThrow();
      const id = (await s.call(person, 'getViewer', {})).user?.id ?? '';
      await approveUser(s.deps, id);
      expect(await s.call(person, 'getPost', { postId })).toMatchObject({ post: { id: postId } });
      await setApprovedTags(s.deps, id, []);
      provider.people.set('mina', { ...mina, groups: ['red', 'blue'] });
      const later = await enter(s, 'mina');
      const allowed = await s.deps.db
        .selectFrom('approved_tags')
        .innerJoin('tags', 'tags.id', 'approved_tags.tag_id')
        .select('tags.name')
        .where('user_id', '=', id)
        .execute();
      expect(allowed).toEqual([{ name: 'blue' }]);
      await expect(s.call(later.person, 'getPost', { postId })).rejects.toThrow();
    }),
  );
});
