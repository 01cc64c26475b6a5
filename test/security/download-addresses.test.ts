import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Scope } from '../../contract/operation.ts';
import { describeEngines } from '../support/engines.ts';
import { account, essay, publish } from '../support/factories.ts';
import { objectPath } from '../support/multipart.ts';
import { mailOfKind } from '../support/rows.ts';
import { signedUp } from '../support/signed-up.ts';
import { carry, upload } from '../support/storage.ts';

const { email, password } = account;

describeEngines(({ siteWithAdmin }) => {
  it.each(['password', 'everywhere', 'log out', 'reset'] as const)(
    '38. download addresses end with the session that was given them: %s',
    async how => {
      const [s, admin] = await siteWithAdmin();
      const mina = await signedUp(s);
      const [postId = ''] = await publish(s, admin, essay({ tags: ['family'] }));
      const file = await upload(s, admin, 'posts/1_a.bin', 'bytes');
      await carry(s, postId, file.id);
      await s.call(admin, 'setApprovedTags', { userId: mina.id, tags: ['family'] });
      const described = await (await s.request(objectPath(file.name), mina)).json();
      const address = `${objectPath(file.name)}?alt=media&token=${described.downloadTokens}`;
      const opens = async () => (await s.request(address)).status;
      expect(await opens()).toBe(200);
      if (how === 'password') {
        await s.call(mina, 'changePassword', { currentPassword: password, newPassword: 'another' });
      }
      if (how === 'everywhere') await s.call(mina, 'signOutEverywhere', {});
      if (how === 'log out') await s.call(mina, 'signOut', {});
      if (how === 'reset') {
        await s.call(null, 'requestPasswordReset', { email });
        const mail = await mailOfKind(s, 'reset');
        const { token } = JSON.parse(mail.data) as { token: string };
        await s.call(null, 'resetPassword', { token, password: 'another' });
      }
      expect(await opens()).toBe(404);
    },
  );

  it('38. download addresses that a program got by storing open nothing to a program that may not read', async () => {
    const [s, admin] = await siteWithAdmin();
    const file = await upload(s, admin, 'posts/1_a.bin', 'bytes');
    const opens = async (...scopes: Scope[]) => {
      const { token } = await s.makeToken(admin, 'program', scopes);
      const headers = { authorization: `Bearer ${token}` };
      const changed = await s.request(objectPath(file.name), null, { method: 'PATCH', headers, body: '{}' });
      const { downloadTokens } = await changed.json();
      return (await s.request(`${objectPath(file.name)}?alt=media&token=${downloadTokens}`)).status;
    };
    expect(await opens('files')).toBe(404);
    expect(await opens('files', 'read')).toBe(200);
  });

  it('38. download addresses end with the access token for which they were made, and are bound to it', async () => {
    const [s, admin] = await siteWithAdmin();
    const file = await upload(s, admin, 'posts/1_a.bin', 'bytes');
    const { token, accessToken } = await s.makeToken(admin, 'program');
    const asProgram = { headers: { authorization: `Bearer ${token}` } };
    const described = await (await s.request(objectPath(file.name), null, asProgram)).json();
    const opens = async (claim: string) =>
      (await s.request(`${objectPath(file.name)}?alt=media&token=${claim}`)).status;
    expect(await opens(described.downloadTokens)).toBe(200);
    await s.call(admin, 'revokeAccessToken', { tokenId: accessToken.id });
    expect(await opens(described.downloadTokens)).toBe(404);
    // From before an upgrade: such a token named the account, and no session.
    const claim = [file.id, admin.id, (s.deps.clock() + 60_000).toString(36)].join('.');
    const signature = createHmac('sha256', s.deps.secret).update(`download ${claim}`).digest('base64url');
    expect(await opens(`${claim}.${signature}`)).toBe(404);
  });
});
