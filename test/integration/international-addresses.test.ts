import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { denialsOf } from '../../server/accounts/members/denials.ts';
import { findUserId } from '../../server/accounts/members/read.ts';
import { up } from '../../server/db/migrations/0048-hosts-in-ascii.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { describeEngines } from '../support/engines.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { insertUser } from '../support/people.ts';
import { refusal } from '../support/site.ts';

const password = 'quincey';
const account = { username: 'mina', name: 'Mina Harker', email: ' Kontakt@MÜLLER.de', password };
const ascii = 'kontakt@xn--mller-kva.de';

describeEngines(({ site }) => {
  it('addresses with a host in letters of other scripts are one mailbox with their ASCII form: at sign-up, log-in, links, decisions and by SMTP', async () => {
    const s = await site();
    const { smtp, deps } = await withSmtp(s);
    const { user } = await s.call(null, 'signUp', account);
    // Its owner reads it as they write it; admins see the form that imitates no other.
    expect(user?.email).toBe('kontakt@müller.de');
    const stored = await deps.db.selectFrom('users').select(['id', 'email']).execute();
    expect(stored).toEqual([{ id: user?.id, email: ascii }]);
    const again = { ...account, username: 'lucy', email: ascii };
    expect(await refusal(s.call(null, 'signUp', again))).toBe('already-exists');
    for (const email of [account.email, ascii, 'kontakt@mu\u0308ller.de', 'KONTAKT@XN--MLLER-KVA.DE'])
      expect((await s.call(null, 'signIn', { email, password })).user?.id).toBe(user?.id);
    await s.call(null, 'requestPasswordReset', { email: account.email });
    await deliverDue(deps);
    // The test's server decodes the recipient; the header has it as it was sent.
    expect(smtp.mails.map(mail => mail.to)).toEqual(['kontakt@müller.de', 'kontakt@müller.de']);
    expect(smtp.mails[0]?.source).toMatch(/^To: kontakt@xn--mller-kva\.de\r$/m);
    expect(await findUserId(deps.db, 'kontakt@Müller.de')).toBe(user?.id);
    await denyUser(deps, user?.id ?? '');
    expect((await denialsOf(deps.db, [{ id: 'other', email: ascii }])).size).toBe(1);
  });
});

describeEngines(({ site }) => {
  it('addresses that an earlier import has stored with letters of other scripts get their ASCII form by the migration, unless somebody has it', async () => {
    const s = await site();
    const emails = ['kontakt@müller.de', 'info@müller.de', 'info@xn--mller-kva.de', 'mina@example.com'];
    for (const [index, email] of emails.entries()) {
      const username = `person${index}`;
      const id = await insertUser(s.deps.db, { username, name: 'Somebody', status: 'pending', email });
      await s.deps.db.insertInto('subscriptions').values({ user_id: id, email, created_at: 1 }).execute();
    }
    await up(s.deps.db);
    const stored = ['info@müller.de', 'info@xn--mller-kva.de', ascii, 'mina@example.com'];
    const users = await s.deps.db.selectFrom('users').select('email').execute();
    expect(users.map(({ email }) => email).sort()).toEqual(stored.sort());
    const subscriptions = await s.deps.db.selectFrom('subscriptions').select('email').execute();
    expect(subscriptions.map(({ email }) => email).sort()).toEqual(stored.sort());
  });
});
