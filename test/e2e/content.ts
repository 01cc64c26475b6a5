import type { Page } from '@playwright/test';
import type { Input } from '../../contract/operations.ts';
import { withDatabase } from './accounts.ts';
import { callFrom, expect } from './fixtures.ts';
import type { People } from './people.ts';
import type { RunningSite } from './site.ts';

/** The content of a journey's site, written by its admin through the operations that the editor calls. */

/** Publishes a short post. Returns its id. */
export async function publishPost(
  admin: Page,
  content = 'A short post.',
  tags: string[] = [],
): Promise<string> {
  const input: Input<'createPost'> = { type: 'short', content, tags, isDraft: false };
  return (await callFrom(admin, 'createPost', input)).post.id;
}

/** Publishes short posts, the last one newest. Returns their ids. */
export async function publishNotes(admin: Page, ...notes: [content: string, ...tags: string[]][]) {
  const ids: string[] = [];
  for (const [content, ...tags] of notes) ids.push(await publishPost(admin, content, tags));
  return ids;
}

/** Two posts for friends and an open one. */
export async function publishForFriends(admin: Page): Promise<void> {
  for (const tags of [['friends'], ['friends', 'family'], []]) await publishPost(admin, `For ${tags}`, tags);
}

/** An admin of a site with posts for friends opens a page of the administration by its link. */
export async function openAdminPage(page: Page, people: People, name: string): Promise<void> {
  await people.admin(page);
  await publishForFriends(page);
  await page.goto('/admin');
  await page.getByRole('link', { name }).click();
  await expect(page).toHaveURL(`/admin/${name.toLowerCase()}`);
  await expect(page.getByRole('heading', { name, level: 1 })).toBeFocused();
}

export async function publishEssay(admin: Page, title: string, ...tags: string[]): Promise<string> {
  const essay = {
    type: 'essay',
    title,
    description: `About ${title}.`,
    content: `${title}, at length.`,
  } as const;
  return (await callFrom(admin, 'createPost', { ...essay, tags, isDraft: false })).post.id;
}

export function setDefaultTags(site: RunningSite, ...names: string[]): void {
  withDatabase(site, db => {
    for (const name of names) {
      db.prepare('insert into default_tags select id from tags where name = ?').run(name);
    }
  });
}

export async function setAbout(admin: Page, content: string): Promise<void> {
  await callFrom(admin, 'saveAbout', { content });
}

/** Opens one of the lists on the page of users. */
export async function openList(page: Page, name: string): Promise<void> {
  const lists = page.getByRole('navigation', { name: 'Users by state' });
  await lists.getByRole('link', { name: new RegExp(`^${name}`) }).click();
}
