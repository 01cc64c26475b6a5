import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type APIRequestContext, request } from '@playwright/test';
import { addAccount, adminPassword } from '../../test/e2e/accounts.ts';
import { RunningSite } from '../../test/e2e/site.ts';
import { upload } from '../../test/e2e/upload.ts';
import { freePort } from '../../test/support/free-port.ts';
import { drawnIcon, drawnPicture } from '../demo/pictures.ts';
import { callAs } from '../screenshots/author.ts';
import type { Drawing, Entry, Person } from './person.ts';

/** A new site that somebody has made their own by the operations that Settings and the editor call. */
export async function siteOf(person: Person): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-look-'));
  const site = new RunningSite(folder, await freePort());
  const stop = async () => {
    await site.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await site.start();
    const { username, name } = person;
    await addAccount(site, { username, name, password: adminPassword, isAdmin: true });
    const owner = await request.newContext({ baseURL: site.url });
    await callAs(owner, 'signIn', { email: `${username}@example.com`, password: adminPassword });
    await choose(owner, person);
    for (const entry of person.entries) await publish(owner, person, entry);
    await owner.dispose();
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: site.url, stop };
}

async function choose(owner: APIRequestContext, person: Person): Promise<void> {
  const { version } = await callAs(owner, 'getSiteSettings', {});
  const values = { ...person.settings };
  if (person.icon !== undefined) values.icon = await stored(owner, 'icon', await drawnIcon(...person.icon));
  if (person.cover !== undefined) {
    const bytes = await draw(person, person.cover, { width: 1_600, height: 800 });
    values.cover = await stored(owner, 'cover', bytes);
  }
  await callAs(owner, 'saveSiteSettings', { values, version });
  await callAs(owner, 'saveAbout', { content: person.about });
  const tags = [...new Set(person.entries.flatMap(entry => entry.tags ?? []))];
  for (const tag of tags) await callAs(owner, 'addTag', { name: tag });
  // Visitors read everything.
  const defaults = await callAs(owner, 'getDefaultTags', {});
  await callAs(owner, 'setDefaultTags', { tags, version: defaults.version });
}

async function stored(owner: APIRequestContext, kind: 'icon' | 'cover', bytes: Buffer): Promise<string> {
  return (await callAs(owner, 'uploadSitePicture', { kind, bytes: bytes.toString('base64') })).name;
}

async function publish(owner: APIRequestContext, person: Person, entry: Entry): Promise<void> {
  const addresses: string[] = [];
  for (const [index, drawing] of (entry.pictures ?? []).entries()) {
    const bytes = await draw(person, drawing, { width: 1_200, height: 900 });
    addresses.push(await upload(owner, `${entry.day}-${index}.jpg`, bytes));
  }
  const common = { tags: [...(entry.tags ?? [])], isDraft: false, date: `${entry.day}T10:00` };
  if (entry.title === undefined) {
    const attachments = addresses.map(url => ({ url, description: null }));
    await callAs(owner, 'createPost', { ...common, type: 'short', content: entry.text, attachments });
    return;
  }
  const content = [entry.text, ...addresses.map(url => `![](${url})`)].join('\n\n');
  await callAs(owner, 'createPost', {
    ...common,
    type: 'essay',
    title: entry.title,
    description: entry.text,
    content,
  });
}

async function draw({ colours }: Person, [motif, turn]: Drawing, size: { width: number; height: number }) {
  return await drawnPicture(motif, colours, { ...size, turn });
}
