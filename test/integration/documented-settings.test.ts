import { readdir } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { blockWith } from '../../scripts/package/hosting.ts';
import { startS3 } from '../conformance/server.ts';
import { describeEngines } from '../support/engines.ts';
import { enter, mina } from '../support/openid.ts';
import { startOpenidProvider } from '../support/openid-provider.ts';
import { openSite } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { newFolder } from '../support/temporary-folder.ts';

/** Blocks of docs/hosting.md whose servers are on the internet, with one of this machine in their place. */
const settingsOf = (words: Parameters<typeof blockWith>[0]) =>
  parseEnv(blockWith(words)) as Record<string, string>;

// What the page tells owners to register is `/login/openid/callback` there.
const siteUrl = 'https://blog.example';
const provider = await startOpenidProvider(siteUrl);
afterAll(() => provider.close());

describeEngines(({ migrated }) => {
  it('the settings of docs/hosting.md for OpenID Connect let somebody sign in and wait for approval', async () => {
    const settings = settingsOf('OIDC_ISSUER=');
    const { OIDC_ISSUER, OIDC_CLIENT_SECRET } = provider.environment;
    expect(settings).toMatchObject({ OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_SECRET: '...' });
    const s = await openSite(await migrated(), {
      ...settings,
      OIDC_ISSUER,
      OIDC_CLIENT_SECRET,
      PUBLIC_URL: siteUrl,
    });
    try {
      const page = await s.request('/login');
      expect(await page.text()).toMatch(/Continue with (<!-- -->)?Example/);
      provider.people.set('mina', mina);
      expect((await enter(s, 'mina')).led).toBe('/tags/red');
      const { email, status } = await s.deps.db
        .selectFrom('users')
        .select(['email', 'status'])
        .executeTakeFirstOrThrow();
      expect({ email, status }).toEqual({ email: mina.email, status: 'pending' });
    } finally {
      await s.close();
    }
  });
});

it('the FILES_URL of docs/hosting.md stores files in the bucket, and none in the folder', async () => {
  const s3 = await startS3();
  const dataDir = await newFolder();
  const address = new URL(settingsOf('FILES_URL=').FILES_URL ?? '');
  expect(address).toMatchObject({ host: 's3.eu-central-1.amazonaws.com', pathname: '/bucket' });
  const own = new URL(s3.url);
  address.searchParams.set('http', '1');
  const url = `s3://${own.username}:${own.password}@${own.host}${address.pathname}${address.search}`;
  const s = await openSite({ dataDir, databaseUrl: undefined }, { FILES_URL: url });
  try {
    const admin = await s.admin();
    const file = await upload(s, admin, 'a.txt', 'Kept elsewhere.');
    const served = await s.request(file.url, admin);
    expect(await served.text()).toBe('Kept elsewhere.');
    expect(await readdir(dataDir)).not.toContain('files');
  } finally {
    await s.close();
    await s3.close();
  }
});
