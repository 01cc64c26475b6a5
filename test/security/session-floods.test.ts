import { expect, it } from 'vitest';
import { knowBrowser } from '../../server/accounts/sessions/known-browsers.ts';
import { limitSignIn } from '../../server/accounts/sign-in/sign-in-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { insertSession } from '../support/people.ts';
import { signedUp } from '../support/signed-up.ts';
import { post, refusal } from '../support/site.ts';

const { email, password } = account;

describeEngines(({ site }) => {
  it('40. sign-ins and resets cannot make a flood of sessions: the oldest end, and too many are refused', async () => {
    const s = await site();
    const mina = await signedUp(s);
    const begun = async (count: number) => {
      for (let index = 0; index < count; index += 1) await insertSession(s.deps, mina.id);
    };
    await begun(60);
    expect((await post(s, 'signIn', { email, password })).status).toBe(200);
    const sessions = s.deps.db.selectFrom('sessions').select('id').where('user_id', '=', mina.id);
    expect(await sessions.execute()).toHaveLength(50);
    const signIn = () => limitSignIn({ ...s.deps, network: '203.0.113.9' }, email, async () => 'in');
    for (let index = 0; index < 59; index += 1) expect(await signIn()).toBe('in');
    expect(await refusal(signIn())).toBe('resource-exhausted');
    s.wait(15 * 60_000);
    expect(await signIn()).toBe('in');
  });

  it('40. sign-ins and resets cannot make a flood of known browsers either: those that were used last are known', async () => {
    const s = await site();
    const { id: userId } = await signedUp(s);
    const now = s.deps.clock();
    for (let index = 0; index < 60; index += 1)
      await knowBrowser(s.deps.db, now + index, { userId, browser: `browser ${index}` });
    const known = s.deps.db.selectFrom('known_browsers').select('digest').where('user_id', '=', userId);
    expect(await known.execute()).toHaveLength(50);
    expect(await knowBrowser(s.deps.db, now + 60, { userId, browser: 'browser 59' })).toBe(true);
  });

  it('40. sign-ins and resets do not keep the owner from a reset, however often strangers request one', async () => {
    const s = await site();
    const mina = await signedUp(s);
    const mails = async () =>
      (await s.deps.db.selectFrom('mails').select('data').where('kind', '=', 'reset').execute()).map(
        row => (JSON.parse(row.data) as { token: string }).token,
      );
    const ask = async (peer: string) => (await post(s, 'requestPasswordReset', { email }, { peer })).status;
    for (let index = 0; index < 5; index += 1) expect(await ask('198.51.100.1')).toBe(200);
    expect(await ask('198.51.100.1')).toBe(429);
    // Nor do many networks: what they have asked for is in the owner's mailbox, and once in minutes.
    for (let index = 2; index < 12; index += 1) expect(await ask(`198.51.100.${index}`)).toBe(200);
    expect(await mails()).toHaveLength(1);
    s.wait(5 * 60_000);
    expect(await ask('203.0.113.9')).toBe(200);
    const tokens = await mails();
    expect(tokens).toHaveLength(2);
    await s.call(null, 'resetPassword', { token: tokens[0] ?? '', password: 'my own one' });
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    // Its link is over: the next one is mailed at once.
    expect(await ask('203.0.113.9')).toBe(200);
    expect(await mails()).toHaveLength(3);
  });
});
