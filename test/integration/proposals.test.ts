import { expect, it } from 'vitest';
import { proposalsPerMember } from '../../contract/constants.ts';
import { sweepProposals } from '../../server/accounts/proposals/propose.ts';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { joinAs, mailedToken, newcomer, tokenOf } from '../support/invitations.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { saveSettings } from '../support/save-settings.ts';
import { openSite, type Person, renewSessions, type Site } from '../support/site.ts';

const sister = { email: 'anna@example.org', name: 'Anna Kay', word: 'My sister' };

/** An admin, two members, and a post for friends. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  const ben = await s.member([], 'ben');
  await s.deps.db.updateTable('users').set({ email_verified: true }).execute();
  await publish(s, admin, essay({ title: 'On us', tags: ['friends'] }));
  const mailing = await withSmtp(s);
  const deliver = async () => {
    s.wait(2 * hourMs);
    await renewSessions(s);
    await queueAdminDigests(mailing.deps);
    return await mailing.deliver();
  };
  const waiting = async () => (await s.call(admin, 'listProposals', {})).proposals;
  const own = async (person: Person) => (await s.call(person, 'listOwnProposals', {})).proposals;
  return { admin, lucy, ben, deliver, waiting, own };
}

describeEngines(({ site, migrated }) => {
  it('a member proposes somebody, and an admin who agrees invites them with the tags of their choice', async () => {
    const s = await site();
    const { admin, lucy, waiting, own, deliver } = await scene(s);
    expect(await s.call(lucy, 'proposePerson', sister)).toEqual({});
    expect(await own(lucy)).toMatchObject([sister]);
    expect(await s.call(admin, 'listProposals', {})).toMatchObject({
      proposals: [{ ...sister, userId: lucy.id, username: 'lucy', knownAs: null, deniedAt: null }],
      total: 1,
    });
    expect(await s.call(admin, 'listProposals', { most: 0 })).toEqual({ proposals: [], total: 1 });
    const [told, ...others] = await deliver();
    expect([told?.to, others]).toEqual([`${admin.username}@example.com`, []]);
    expect(told?.text).toContain('lucy proposes somebody to invite');
    expect(told?.text).toContain('lucy proposes Anna Kay (anna@example.org): “My sister”.');
    expect(told?.text).toContain('/admin/invitations#proposals');
    expect(await deliver()).toEqual([]);

    const { made, known } = await s.call(admin, 'acceptProposal', {
      ...{ userId: lucy.id, email: sister.email },
      tags: [],
    });
    expect(made).toMatchObject([{ invitation: { email: sister.email, name: 'Anna Kay', tags: [] } }]);
    expect(known).toEqual([]);
    expect([await waiting(), await own(lucy)]).toEqual([[], []]);
    const token = tokenOf(made[0]?.link);
    const { email: _, ...anna } = newcomer('anna');
    const { id } = await joinAs(s, { token, ...anna });
    const joined = await s.deps.db
      .selectFrom('users')
      .select(['status', 'email'])
      .where('id', '=', id)
      .execute();
    expect(joined).toEqual([{ status: 'approved', email: sister.email }]);
    expect(
      await s.deps.db.selectFrom('approved_tags').selectAll().where('user_id', '=', id).execute(),
    ).toEqual([]);
    const { entries } = await s.call(admin, 'getHistory', { kind: 'invitation-made' });
    expect(entries).toMatchObject([
      { actor: { name: admin.username }, user: { name: 'lucy' }, thing: { name: 'Anna Kay' }, gave: [] },
    ]);
  });

  it('a mail about requests and proposals has a link for each, because they are answered on two pages', async () => {
    const s = await site();
    const { admin, lucy, deliver } = await scene(s);
    const [postId = ''] = await publish(s, admin, essay({ title: 'On them', tags: ['family'] }));
    await s.call(lucy, 'proposePerson', sister);
    await s.call(lucy, 'askForPost', { postId, word: '' });
    const [told] = await deliver();
    const at = s.config.publicUrl;
    expect(told?.text).toContain(
      [
        'Some members ask for something',
        `Answer the requests\nlucy asks for “On them”. They need the tag “family”.\n${at}/admin#requests`,
        `Answer the proposals\nlucy proposes Anna Kay (anna@example.org): “My sister”.\n${at}/admin/invitations#proposals`,
      ].join('\n\n'),
    );
  });

  it('an accepted proposal is mailed where the site sends mail, and nobody else gets the link', async () => {
    const s = await openSite(await migrated(), { SMTP_URL: 'smtp://127.0.0.1:1' });
    const { admin, lucy } = await scene(s);
    await s.call(lucy, 'proposePerson', sister);
    const { made } = await s.call(admin, 'acceptProposal', {
      ...{ userId: lucy.id, email: sister.email },
      tags: ['friends'],
    });
    expect(made).toMatchObject([{ invitation: { isMailed: true, tags: ['friends'] }, link: null }]);
    expect(await mailedToken(s, sister.email)).not.toBe('');
  });

  it('a member is told the same of an address with an account, and the admin whose it is', async () => {
    const s = await site();
    const { admin, lucy, ben, waiting, own } = await scene(s);
    const known = { ...sister, email: `${ben.username}@example.com` };
    expect(await s.call(lucy, 'proposePerson', known)).toEqual({});
    expect(await own(lucy)).toMatchObject([known]);
    expect(await waiting()).toMatchObject([{ knownAs: 'ben' }]);
    const answer = await s.call(admin, 'acceptProposal', { userId: lucy.id, email: known.email, tags: [] });
    expect(answer).toEqual({ made: [], known: [known.email] });
    expect(await own(lucy)).toEqual([]);
  });

  it('an admin is told that a proposed address was denied', async () => {
    const s = await site();
    const { admin, lucy, ben, waiting } = await scene(s);
    await s.call(admin, 'denyUser', { userId: ben.id });
    await s.call(lucy, 'proposePerson', { ...sister, email: 'ben@example.com' });
    expect(await waiting()).toMatchObject([{ knownAs: 'ben', deniedAt: expect.any(String) }]);
    await s.deps.db.deleteFrom('users').where('id', '=', ben.id).execute();
    expect(await waiting()).toMatchObject([{ knownAs: null, deniedAt: expect.any(String) }]);
  });

  it('a second proposal of an address replaces what was said, and one yes answers all who propose it', async () => {
    const s = await site();
    const { admin, lucy, ben, waiting, own } = await scene(s);
    await s.call(lucy, 'proposePerson', { ...sister, name: 'Ana', word: '' });
    await s.call(lucy, 'proposePerson', { ...sister, email: ' ANNA@Example.org ' });
    expect(await own(lucy)).toMatchObject([sister]);
    await s.call(ben, 'proposePerson', sister);
    expect(await waiting()).toHaveLength(2);
    const named = { userId: lucy.id, email: sister.email };
    await s.call(admin, 'acceptProposal', { ...named, tags: [] });
    expect(await waiting()).toEqual([]);
    for (const userId of [lucy.id, ben.id])
      await expect(s.call(admin, 'acceptProposal', { ...named, userId, tags: [] })).rejects.toThrow(
        'answered already',
      );
    expect((await s.call(admin, 'listInvitations', {})).invitations).toHaveLength(1);
  });

  it('two admins who agree at once make one invitation', async () => {
    const s = await site();
    const { admin, lucy, ben } = await scene(s);
    const second = await s.admin();
    for (const member of [lucy, ben]) await s.call(member, 'proposePerson', sister);
    const answers = await Promise.allSettled(
      [admin, second].flatMap(person =>
        [lucy, ben].map(({ id: userId }) =>
          s.call(person, 'acceptProposal', { userId, email: sister.email, tags: [] }),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await s.call(admin, 'listInvitations', {})).invitations).toHaveLength(1);
  });

  it('a declined or withdrawn proposal is gone, and nobody is told', async () => {
    const s = await site();
    const { admin, lucy, ben, waiting, deliver } = await scene(s);
    for (const member of [lucy, ben]) await s.call(member, 'proposePerson', sister);
    await s.call(ben, 'withdrawProposal', { email: sister.email });
    expect(await waiting()).toMatchObject([{ username: 'lucy' }]);
    const named = { userId: lucy.id, email: sister.email };
    await s.call(admin, 'declineProposal', named);
    expect([await waiting(), await deliver()]).toEqual([[], []]);
    await expect(s.call(admin, 'declineProposal', named)).rejects.toThrow('answered already');
  });

  it('proposals of a denied member wait no more', async () => {
    const s = await site();
    const { admin, lucy, deliver } = await scene(s);
    await s.call(lucy, 'proposePerson', sister);
    await s.call(admin, 'denyUser', { userId: lucy.id });
    expect(await s.call(admin, 'listProposals', {})).toEqual({ proposals: [], total: 0 });
    expect(await deliver()).toEqual([]);
    const named = { userId: lucy.id, email: sister.email };
    await expect(s.call(admin, 'acceptProposal', { ...named, tags: [] })).rejects.toThrow('answered already');
    await expect(s.call(lucy, 'proposePerson', sister)).rejects.toThrow();
    expect((await s.call(admin, 'listInvitations', {})).invitations).toEqual([]);
  });

  it('only so many proposals of a member wait at once, also of many that come together', async () => {
    const s = await site();
    const { lucy, own } = await scene(s);
    const numbered = (from: number) =>
      Array.from({ length: proposalsPerMember }, (_, n) =>
        s.call(lucy, 'proposePerson', { ...sister, email: `anna${from + n}@example.org` }),
      );
    const answers = await Promise.allSettled([...numbered(0), ...numbered(100)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(proposalsPerMember);
    const waiting = await own(lucy);
    expect(waiting).toHaveLength(proposalsPerMember);
    await expect(s.call(lucy, 'proposePerson', sister)).rejects.toThrow('waiting already');
    const [first] = waiting;
    // A proposal can still be changed, and a withdrawn one makes room for another.
    await s.call(lucy, 'proposePerson', { ...sister, email: first?.email ?? '' });
    await s.call(lucy, 'withdrawProposal', { email: first?.email ?? '' });
    await s.call(lucy, 'proposePerson', sister);
  });

  it('where the site takes no accounts, nobody is proposed', async () => {
    const s = await site();
    const { admin, lucy } = await scene(s);
    await saveSettings(s, admin, { signUp: 'nobody' });
    await expect(s.call(lucy, 'proposePerson', sister)).rejects.toThrow('no new accounts');
  });

  it('a proposal is in the export of one’s own data, and is forgotten after ninety days', async () => {
    const s = await site();
    const { lucy, own } = await scene(s);
    await s.call(lucy, 'proposePerson', sister);
    const { data } = await s.call(lucy, 'exportAccount', {});
    expect(data).toMatchObject({ proposals: [{ ...sister, createdAt: expect.any(String) }] });
    s.wait(91 * dayMs);
    await sweepProposals(s.deps);
    expect(await own(lucy)).toEqual([]);
  });
});
