import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import { addAccount, startSession, withDatabase } from './accounts.ts';
import { callFrom, type RunningSite } from './site.ts';

/** What the journeys of readers have in common: a site with an admin and posts, and every kind of viewer. */

export { memberPassword, withDatabase } from './accounts.ts';
export { expectAccessible } from './axe.ts';

/** Signs the page in as the site's new admin, whom the site has from now on. */
export async function asAdmin(site: RunningSite, page: Page): Promise<void> {
  await site.createAdmin();
  await startSession(site, page.context(), 'mina');
}

/** Publishes short posts, the last one newest. */
export async function publishNotes(admin: Page, ...notes: [content: string, ...tags: string[]][]) {
  const ids: string[] = [];
  for (const [content, ...tags] of notes) {
    const { post } = await callFrom(admin, 'createPost', { type: 'short', content, tags, isDraft: false });
    ids.push(post.id);
  }
  return ids;
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

type Kind = 'visitor' | 'pending' | 'denied' | 'member' | 'friend' | 'admin';

/** A browser of its own for a kind of viewer; a `friend` is a member with the tag `friends`. */
export async function open(
  browser: Browser,
  site: RunningSite,
  kind: Kind,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: site.url, ...options });
  const page = await context.newPage();
  if (kind === 'visitor') return page;
  if (kind !== 'admin') {
    await addAccount(site, {
      username: kind,
      name: `The ${kind}`,
      status: kind === 'member' || kind === 'friend' ? 'approved' : kind,
      tags: kind === 'friend' ? ['friends'] : [],
    });
  }
  await startSession(site, context, kind === 'admin' ? 'mina' : kind);
  return page;
}

/**
 * Keeps the fonts from a page whose layout is measured: the moment in which they take the place of others depends on the
 * machine, and `bench/` measures it.
 */
export async function withoutFonts(page: Page): Promise<void> {
  await page.route('**/*.woff2', route => route.fulfill({ status: 204 }));
}

/**
 * The layout shift of a page so far, as the browser scores it, to a ten-thousandth: a word that is a hair wider once its
 * italics have come moves nothing. What the reader brings about by acting is not counted.
 */
export async function layoutShift(page: Page): Promise<number> {
  return await page.evaluate(
    () =>
      new Promise<number>(resolve => {
        let sum = 0;
        const observer = new PerformanceObserver(list => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[]) {
            if (!entry.hadRecentInput) sum += entry.value;
          }
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        // Entries of the past are delivered before the frame after next.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(Number(sum.toFixed(4)))));
      }),
  );
}
