import { expect, it } from 'vitest';
import { currentVisitor } from '../../server/access/viewer.ts';
import { signInWithPasskey } from '../../server/accounts/passkeys/signature.ts';
import { resetLink, resetPassword } from '../../server/accounts/sign-in/password-reset.ts';
import { unguarded } from '../../server/db/transaction.ts';
import { internalInvocation } from '../../server/operations.ts';
import { addPasskey } from '../support/authenticator.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { onceRead } from '../support/queries.ts';
import { signedUp } from '../support/signed-up.ts';
import { openSite, type Person, post, refusal, type Site } from '../support/site.ts';

const withMail = { SMTP_URL: 'smtp://127.0.0.1:1' };

async function sessionsOf(s: Site, person: NonNullable<Person>): Promise<number> {
  const rows = await s.deps.db.selectFrom('sessions').select('id').where('user_id', '=', person.id).execute();
  return rows.length;
}

describeEngines(({ site, migrated }) => {
  it('a passkey that a mailed reset removes meanwhile begins no session', async () => {
    const s = await openSite(await migrated(), withMail);
    const squatter = await s.member([], 'lucy');
    const authenticator = await addPasskey(s, squatter);
    const { email } = await s.deps.db
      .updateTable('users')
      .set({ email_verified: false })
      .where('id', '=', squatter.id)
      .returning('email')
      .executeTakeFirstOrThrow();
    await s.call(null, 'requestPasswordReset', { email });
    const mails = s.deps.db.selectFrom('mails').select('data').where('kind', '=', 'reset');
    const { token } = JSON.parse((await mails.executeTakeFirstOrThrow()).data);
    const { result, cookie } = await post(s, 'requestSignature', {});
    const signed = authenticator.sign(result);

    const read = onceRead(
      row => 'public_key' in row,
      () => s.call(null, 'resetPassword', { token, password: 'quincey1' }),
    );
    const requestHeaders = new Headers({ cookie });
    const deps = {
      ...internalInvocation(s.deps, await currentVisitor(s.deps), { requestHeaders }),
      ...unguarded,
      db: s.deps.db.withPlugin(read.plugin),
    };
    expect(await refusal(signInWithPasskey(deps, { signed, isLong: true }))).toBe('unauthenticated');
    expect(read.isDone()).toBe(true);
    expect([...deps.replyHeaders]).toEqual([]);
    expect(await sessionsOf(s, squatter)).toBe(0);
  });

  it('a new password is not set if its link ends while the password is hashed', async () => {
    const s = await site();
    const mina = await signedUp(s);
    const link = new URL(await resetLink(s.deps, mina.id));
    const hash = async (password: string) => {
      await s.call(mina, 'signOutEverywhere', {});
      return await s.hashing.hash(password);
    };
    const hashing = { hash, verify: s.hashing.verify };
    const token = link.searchParams.get('token') ?? '';
    const late = resetPassword({ ...s.deps, hashing }, token, 'another1');
    expect(await refusal(late)).toBe('failed-precondition');
    expect((await post(s, 'signIn', { email: account.email, password: 'another1' })).status).toBe(401);
    expect((await post(s, 'signIn', { email: account.email, password: account.password })).status).toBe(200);
  });
});
