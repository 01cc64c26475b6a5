import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import { describeEngines } from '../engines.ts';
import { shortPost } from '../factories.ts';
import { type Person, refusal, type Site } from '../site.ts';

const password = 'quincey1';
const minute = 60_000;

/** An admin with a password, whose session began so long ago. */
async function adminWithPassword(s: Site, ago: number): Promise<NonNullable<Person>> {
  const admin = (await s.admin()) ?? { id: '', username: '', cookie: '' };
  const { password: hasher } = await s.deps.auth.$context;
  const { internalAdapter } = await s.deps.auth.$context;
  await internalAdapter.linkAccount({
    userId: admin.id,
    providerId: 'credential',
    accountId: admin.id,
    password: await hasher.hash(password),
  });
  await s.deps.db
    .updateTable('sessions')
    .set({ created_at: new Date(Date.now() - ago).toISOString() })
    .where('user_id', '=', admin.id)
    .execute();
  return admin;
}

const asksOf = async (call: Promise<unknown>) =>
  await call.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? (error.details?.asks ?? error.code) : error),
  );

describeEngines('a recent sign-in', ({ site }) => {
  it('is asked for before what cannot be undone, and the password given once more is one', async () => {
    const s = await site();
    const admin = await adminWithPassword(s, 11 * minute);
    const other = await s.admin();
    const { post } = await s.call(other, 'createPost', shortPost());
    const { post: quiet } = await s.call(other, 'createPost', shortPost());
    await s.call(other, 'addComment', { postId: post.id, content: 'Hm.' });
    const demotion = { userId: other?.id ?? '', isAdmin: false };
    expect(await asksOf(s.call(admin, 'deletePost', { postId: post.id }))).toBe('password');
    expect(await asksOf(s.call(admin, 'setAdmin', demotion))).toBe('password');
    expect((await s.call(other, 'getPost', { postId: post.id })).post.commentCount).toBe(1);
    // Nothing of others goes with it, and to make an admin can be undone.
    expect(await asksOf(s.call(admin, 'deletePost', { postId: quiet.id }))).toBe('done');
    const member = await s.member();
    expect(await asksOf(s.call(admin, 'setAdmin', { userId: member.id, isAdmin: true }))).toBe('done');
    expect(await refusal(s.call(admin, 'confirmPassword', { currentPassword: 'wrong' }))).toBe(
      'invalid-argument',
    );
    expect(await asksOf(s.call(admin, 'deletePost', { postId: post.id }))).toBe('password');
    await s.call(admin, 'confirmPassword', { currentPassword: password });
    expect(await asksOf(s.call(admin, 'deletePost', { postId: post.id }))).toBe('done');
    expect(await asksOf(s.call(admin, 'setAdmin', demotion))).toBe('done');
  });

  it('is one for ten minutes, and for no other session of the account', async () => {
    const s = await site();
    const [admin, other] = [await adminWithPassword(s, 11 * minute), await s.admin()];
    const commented = async () => {
      const { post } = await s.call(other, 'createPost', shortPost());
      await s.call(other, 'addComment', { postId: post.id, content: 'Hm.' });
      return { postId: post.id };
    };
    await s.call(admin, 'confirmPassword', { currentPassword: password });
    await s.deps.db
      .updateTable('sessions')
      .set({ password_given_at: Date.now() - 9 * minute })
      .where('user_id', '=', admin.id)
      .execute();
    expect(await asksOf(s.call(admin, 'deletePost', await commented()))).toBe('done');
    await s.deps.db
      .updateTable('sessions')
      .set({ password_given_at: Date.now() - 10 * minute })
      .where('user_id', '=', admin.id)
      .execute();
    expect(await asksOf(s.call(admin, 'deletePost', await commented()))).toBe('password');
    // The password of one account says nothing of the session of another.
    expect(await asksOf(s.call(other, 'deletePost', await commented()))).toBe('done');
  });

  it('is what the contract names: these operations and no other', () => {
    const asking = (Object.keys(operations) as OperationName[]).filter(
      name => (operations[name] as Operation).asksAgain,
    );
    expect(asking.sort()).toEqual([
      'addPasskey',
      'deletePost',
      'openExport',
      'removePasskey',
      'renewRecoveryCodes',
      'requestPasskey',
      'requestSecondFactor',
      'setAdmin',
      'setAdminFactor',
      'startExport',
      'startImport',
      'turnOffSecondFactor',
      'turnOnSecondFactor',
    ]);
  });
});
