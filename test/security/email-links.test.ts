import { expect, it } from 'vitest';
import { approveUser, denyUser } from '../../server/accounts/members/decide.ts';
import { sweepEmailLinks } from '../../server/accounts/sign-in/email.ts';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { describeEngines } from '../support/engines.ts';
import { post, refusal, type Site } from '../support/site.ts';

/**
 * Somebody signs up with another person's address, and keeps a link that would take over the account later.
 */
const squatter = {
  username: 'mina',
  name: 'Not Mina',
  email: 'mina@example.com',
  password: 'mallory',
};
const away = 'mallory@example.com';

/** The link that was mailed last to an address: its token. */
async function linkTo(s: Site, address: string): Promise<string> {
  const mails = await s.deps.db.selectFrom('mails').select(['kind', 'data']).execute();
  const tokens = mails
    .filter(mail => mail.kind === 'confirm')
    .map(mail => JSON.parse(mail.data) as { token: string; to: string })
    .filter(data => data.to === address)
    .map(data => data.token);
  return tokens.at(-1) ?? '';
}

/** Where mails went, by what they were about. */
const mailsOf = async (s: Site, about: 'confirm' | 'address-change-requested' | 'address-left') => {
  const rows = await s.deps.db.selectFrom('mails').select(['kind', 'data']).execute();
  return rows
    .map(({ kind, data }) => ({ kind, ...(JSON.parse(data) as { to: string; notice?: string }) }))
    .filter(mail => mail.kind === about || mail.notice === about)
    .map(mail => mail.to);
};

const emailOf = async (s: Site, id: string) =>
  (await s.deps.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst())?.email;

/** An account whose change of address waits for its link to be used. */
async function asked(s: Site) {
  const person = await post(s, 'signUp', squatter);
  await s.call(person, 'changeEmail', { email: away });
  return { person, token: await linkTo(s, away) };
}

const use = (s: Site, token: string) => s.call(null, 'confirmEmail', { token });

describeEngines(({ site }) => {
  it.each(['password', 'reset', 'everywhere', 'denial', 'deletion'] as const)(
    '38. links that confirm an address end with the sessions of the account: %s',
    async how => {
      const s = await site();
      const { person, token } = await asked(s);
      const first = await linkTo(s, squatter.email);
      if (how === 'password') {
        const passwords = { currentPassword: squatter.password, newPassword: 'another' };
        await s.call(person, 'changePassword', passwords);
      }
      if (how === 'reset') {
        const link = new URL(await resetLink(s.deps, person.id)).searchParams.get('token') ?? '';
        await s.call(null, 'resetPassword', { token: link, password: 'my own one' });
      }
      if (how === 'everywhere') await s.call(person, 'signOutEverywhere', {});
      if (how === 'denial') {
        await denyUser(s.deps, person.id);
        await approveUser(s.deps, person.id);
      }
      if (how === 'deletion') {
        await s.call(person, 'deleteAccount', { comments: 'delete' });
      }
      expect(await refusal(use(s, token))).toBe('failed-precondition');
      expect(await refusal(use(s, first))).toBe('failed-precondition');
      expect(await emailOf(s, person.id)).toBe(how === 'deletion' ? undefined : squatter.email);
      expect(await mailsOf(s, 'address-left')).toEqual([]);
    },
  );

  it('42. links that confirm an address do not open a new account with the same address', async () => {
    const s = await site();
    const { person, token } = await asked(s);
    await s.call(person, 'deleteAccount', { comments: 'delete' });
    const owner = await post(s, 'signUp', { ...squatter, name: 'Mina Harker', password: 'quincey' });
    expect(await refusal(use(s, token))).toBe('failed-precondition');
    expect(await emailOf(s, owner.id)).toBe(squatter.email);
  });

  it('42. links that confirm an address work only once, also when used at the same time', async () => {
    const s = await site();
    const { person, token } = await asked(s);
    const answers = await Promise.allSettled([use(s, token), use(s, token), use(s, token)]);
    expect(answers.filter(answer => answer.status === 'fulfilled')).toHaveLength(1);
    expect(await emailOf(s, person.id)).toBe(away);
    // Back to the address from before, by a link of its own: the used one does not lead away again.
    await s.call(person, 'changeEmail', { email: squatter.email });
    await use(s, await linkTo(s, squatter.email));
    expect(await emailOf(s, person.id)).toBe(squatter.email);
    expect(await refusal(use(s, token))).toBe('failed-precondition');
    expect(await mailsOf(s, 'address-left')).toEqual([squatter.email, away]);
  });

  it('42. links that confirm an address expire after a day, and leave nothing behind', async () => {
    const s = await site();
    const { person, token } = await asked(s);
    s.wait(24 * 60 * 60_000);
    expect(await refusal(use(s, token))).toBe('failed-precondition');
    expect(await emailOf(s, person.id)).toBe(squatter.email);
    await sweepEmailLinks(s.deps);
    expect(await s.deps.db.selectFrom('email_links').selectAll().execute()).toEqual([]);
  });

  it('42. links that confirm an address are refused in plain words once somebody else has the address, and begin no session', async () => {
    const s = await site();
    const { person, token } = await asked(s);
    await post(s, 'signUp', { ...squatter, username: 'mallory', email: away });
    const sessions = async () => (await s.deps.db.selectFrom('sessions').select('id').execute()).length;
    const before = await sessions();
    await expect(use(s, token)).rejects.toThrow('Another account now uses this email address');
    expect(await refusal(use(s, token))).toBe('already-exists');
    expect(await emailOf(s, person.id)).toBe(squatter.email);
    expect(await sessions()).toBe(before);
  });

  it('42. links that confirm an address are for the last requested address, and none is mailed to an address that is taken', async () => {
    const s = await site();
    const { person, token } = await asked(s);
    const other = await s.member([], 'lucy');
    await s.call(person, 'changeEmail', { email: 'third@example.com' });
    expect(await refusal(use(s, token))).toBe('failed-precondition');
    const taken = { email: 'lucy@example.com' };
    expect(await s.call(person, 'changeEmail', taken)).toEqual({});
    expect(await mailsOf(s, 'confirm')).not.toContain(taken.email);
    expect(await refusal(use(s, await linkTo(s, 'third@example.com')))).toBe('failed-precondition');
    expect(await emailOf(s, other.id)).toBe(taken.email);
    // The address that the account has hears of each, taken or not, and of no new one.
    expect(await mailsOf(s, 'address-change-requested')).toEqual([
      squatter.email,
      squatter.email,
      squatter.email,
    ]);
  });

  it('42. links that confirm an address are mailed to nobody more often than five times an hour by people who wait for approval', async () => {
    const s = await site();
    const strangers = await Promise.all(Array.from({ length: 4 }, () => s.signUp()));
    for (const stranger of strangers) {
      for (let time = 0; time < 3; time += 1)
        await s.call(stranger, 'changeEmail', { email: `mallory+${time}@example.com` }).catch(() => {});
    }
    expect(await mailsOf(s, 'confirm')).toHaveLength(5);
    expect(await refusal(s.call(strangers[3] ?? null, 'changeEmail', { email: away }))).toBe(
      'resource-exhausted',
    );
    // They keep no member from it.
    await s.call(await s.member(), 'changeEmail', { email: away });
    expect(await mailsOf(s, 'confirm')).toHaveLength(6);
  });

  it('42. links that confirm an address are not made when the session that requests one ends at the same moment', async () => {
    const s = await site();
    const person = await post(s, 'signUp', squatter);
    const asking = s.call(person, 'changeEmail', { email: away });
    const outcome = asking.then(
      () => 'made',
      () => 'refused',
    );
    await s.call(person, 'signOutEverywhere', {});
    await outcome;
    expect(await s.deps.db.selectFrom('email_links').selectAll().execute()).toEqual([]);
  });

  it('42. links that confirm an address are stored as digests', async () => {
    const s = await site();
    const { token } = await asked(s);
    const rows = await s.deps.db.selectFrom('email_links').selectAll().execute();
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describeEngines(({ site }) => {
  it('38. links that set a new password work once, and end the others of the account', async () => {
    const s = await site();
    const person = await post(s, 'signUp', squatter);
    const link = async () => new URL(await resetLink(s.deps, person.id)).searchParams.get('token') ?? '';
    const [one, two] = [await link(), await link()];
    const reset = (token: string, password: string) => s.call(null, 'resetPassword', { token, password });
    const first = await Promise.allSettled([reset(one, 'my own one'), reset(one, 'stolen it')]);
    expect(first.filter(answer => answer.status === 'fulfilled')).toHaveLength(1);
    expect(await refusal(reset(one, 'stolen it'))).toBe('failed-precondition');
    expect(await refusal(reset(two, 'stolen it'))).toBe('failed-precondition');
  });

  it('42. links that set a new password open neither a deleted account nor a new one with its address', async () => {
    const s = await site();
    const person = await post(s, 'signUp', squatter);
    const token = new URL(await resetLink(s.deps, person.id)).searchParams.get('token') ?? '';
    await s.call(person, 'deleteAccount', { comments: 'delete' });
    await post(s, 'signUp', { ...squatter, password: 'quincey' });
    expect(await refusal(s.call(null, 'resetPassword', { token, password: 'stolen it' }))).toBe(
      'failed-precondition',
    );
    const signedIn = await post(s, 'signIn', { email: squatter.email, password: 'quincey' });
    expect(signedIn.id).not.toBe('');
  });
});
