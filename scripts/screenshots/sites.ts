import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type APIRequestContext, request } from '@playwright/test';
import { readConfig } from '../../server/config.ts';
import { openDeps } from '../../server/open-deps.ts';
import { addAccount } from '../../test/e2e/accounts.ts';
import { RunningSite } from '../../test/e2e/site.ts';
import { upload } from '../../test/e2e/upload.ts';
import { freePort } from '../../test/support/free-port.ts';
import { startSmtp } from '../../test/support/smtp.ts';
import { fillDemo } from '../demo/fill.ts';
import { admin, password } from '../demo/people.ts';
import { callAs } from './author.ts';
import { fillHard } from './hard.ts';
import { fillHardPeople } from './hard-people.ts';
import { landscape, tone } from './pictures.ts';

/**
 * A site for screenshots: the built server with its own folder, the ids of posts by name, and the token of an
 * invitation's link.
 */
export type LookSite = { url: string; posts: ReadonlyMap<string, string>; stop(): Promise<void> };

/** The demonstration with one more post, of pictures and files. */
export async function demoSite(): Promise<LookSite> {
  return await filledSite(async author => {
    const pictured = await publishPictured(author);
    const idOf = async (search: string) => {
      const [post] = (await callAs(author, 'listPosts', { search })).posts;
      if (post === undefined) throw new Error(`No post of the demonstration holds "${search}".`);
      return post.id;
    };
    const face = await landscape(3, 600, 400);
    await callAs(author, 'setFace', { picture: face.toString('base64') });
    const { version } = await callAs(author, 'getSiteSettings', {});
    await callAs(author, 'saveSiteSettings', { values: { namesAuthors: 'true' }, version });
    const short = await idOf('plums');
    await callAs(author, 'addComment', {
      postId: short,
      content: 'The basket is empty again. Thank you, whoever.',
    });
    await callAs(author, 'setAuthor', { userId: await userOf(author, 'edith'), isAuthor: true });
    const { made } = await callAs(author, 'createInvitations', { tags: [], for: { uses: 5, name: 'Choir' } });
    return new Map([
      ['invitation', made[0]?.link?.split('token=')[1] ?? ''],
      ['pictured', pictured],
      ['code', await idOf('Small Program')],
      ['closed', await idOf('Nearly Sold the Boat')],
      ['talked', await idOf('New Year')],
      ['short', short],
      ['draft', await idOf('swing bridge')],
    ]);
  });
}

/** The demonstration with the posts and people that are hardest to lay out. */
export async function hardSite(): Promise<LookSite> {
  return await filledSite(async (author, site) => {
    const posts = await fillHard(author);
    await fillHardPeople(site, author, posts.get('rtl') ?? '');
    return posts;
  });
}

/** The demonstration with an OpenID provider, and with mail to a server that accepts only invitations. */
export async function mailedSite(): Promise<LookSite> {
  const invited = 'ann@example.org';
  const mailed = Promise.withResolvers<string>();
  const smtp = await startSmtp({
    answer: to => (to === invited ? 'take' : 'later'),
    onMail: ({ source }) => mailed.resolve(source),
  });
  const settings = {
    SMTP_URL: smtp.url,
    CONFIRM_EMAIL_FIRST: 'false',
    OIDC_ISSUER: 'https://accounts.example.org',
    OIDC_CLIENT_ID: 'coterie',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_NAME: 'Harbour Club',
  };
  const { stop, ...site } = await filledSite(async author => {
    await callAs(author, 'createInvitations', { tags: [], for: [{ email: invited, name: 'Ann Kay' }] });
    // Quoted-printable (RFC 2045, section 6.7).
    const [, token = ''] = /token=3D([\w-]+)/.exec((await mailed.promise).replaceAll('=\r\n', '')) ?? [];
    return new Map([['invitation', token]]);
  }, settings);
  return { ...site, stop: () => stop().then(smtp.stop) };
}

async function userOf(author: APIRequestContext, username: string): Promise<string> {
  const { users } = await callAs(author, 'getUsers', { list: 'approved', search: username });
  return users[0]?.id ?? '';
}

export async function emptySite(): Promise<LookSite> {
  const { site, stop } = await runningSite(await newFolder());
  await addAccount(site, { username: 'admin', name: 'Mina Harker', password, isAdmin: true });
  return { url: site.url, posts: new Map(), stop };
}

async function publishPictured(author: APIRequestContext): Promise<string> {
  const picture = async (name: string, place: number, width: number, height: number) =>
    upload(author, name, await landscape(place, width, height));
  const { post } = await callAs(author, 'createPost', {
    type: 'essay',
    title: 'High Water, with Pictures',
    description: 'Three weeks of rain, seen from the kitchen window and from the roof of the woodshed.',
    content: [
      'The gauge by the lower gate stops at two metres ten. On Tuesday it had nothing left to say.',
      `![The upper reach on Tuesday morning](${await picture('high-water.jpg', 0, 1_600, 900)})`,
      'By noon the towpath was gone, and with it the bench, the sign about the bench, and the small argument that I have had with the parish about both.',
      'What follows is for the record: two pictures from the roof, the sound of the bell under water, and the letter from the parish.',
    ].join('\n\n'),
    tags: ['notes'],
    isDraft: false,
    attachments: [
      { url: await picture('roof-east.jpg', 1, 1_200, 800), description: 'East, from the woodshed' },
      { url: await picture('roof-west.jpg', 2, 800, 1_000), description: 'West, ten minutes later' },
      { url: await upload(author, 'bell.wav', tone()), description: 'The bell' },
      { url: await upload(author, 'letter.txt', Buffer.from('Dear Ms Halvorsen,\n')), description: null },
    ],
  });
  return post.id;
}

async function filledSite(
  fill: (author: APIRequestContext, site: RunningSite) => Promise<ReadonlyMap<string, string>>,
  settings: Record<string, string> = {},
): Promise<LookSite> {
  const dataDir = await newFolder();
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });
  const { close, ...deps } = await openDeps(config);
  await fillDemo(deps).finally(close);
  const { site, stop } = await runningSite(dataDir, settings);
  const author = await request.newContext({ baseURL: site.url });
  await callAs(author, 'signIn', { email: admin.email, password });
  const posts = await fill(author, site);
  await author.dispose();
  return { url: site.url, posts, stop };
}

async function newFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'coterie-look-'));
}

async function runningSite(dataDir: string, settings: Record<string, string> = {}) {
  const site = new RunningSite(dataDir, await freePort(), { SITE_TITLE: 'The Lockhouse', ...settings });
  await site.start();
  return {
    site,
    stop: async () => {
      await site.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
