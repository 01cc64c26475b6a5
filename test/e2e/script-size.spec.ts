import type { Page, Request } from '@playwright/test';
import { publishEssay, publishPost } from './content.ts';
import { expect, hydrated, test } from './fixtures.ts';

/** The bar of bars.md, "The reader's browser": scripts of a reading page as they are served, in bytes. */
const most = 95_000;

type Script = { name: string; bytes: number };

for (const kind of ['visitor', 'member'] as const) {
  test(`the scripts of the timeline and of a post have at most 95 kB for a ${kind}`, async ({
    page: adminPage,
    people,
  }) => {
    const admin = await people.admin(adminPage);
    const id = await publishEssay(admin, 'On rivers');
    await publishPost(admin);
    for (const path of ['/', `/post/${id}`]) {
      // A browser that has cached nothing.
      const reader = kind === 'visitor' ? await people.visitor() : await people.member(`lucy${path.length}`);
      const sizes = await scriptsOf(reader, path, kind === 'member');
      expect(sizes.length).toBeGreaterThan(0);
      const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(all, JSON.stringify({ path, sizes }, null, 2)).toBeLessThanOrEqual(most);
    }
  });
}

/**
 * The scripts that a page asks for until it is hydrated and, for a member, until its stream is opened: the
 * script of the stream is asked for last.
 */
async function scriptsOf(page: Page, path: string, hasStream: boolean): Promise<Script[]> {
  const scripts: Promise<Script>[] = [];
  page.on('request', request => {
    if (request.url().endsWith('.js')) scripts.push(sizeOf(request));
  });
  const stream = hasStream && page.waitForRequest('**/live?*');
  await page.goto(path);
  await hydrated(page);
  await stream;
  return await Promise.all(scripts);
}

/** The size of a script with its headers, once it is there. */
async function sizeOf(request: Request): Promise<Script> {
  await (await request.response())?.finished();
  const { responseBodySize, responseHeadersSize } = await request.sizes();
  return { name: new URL(request.url()).pathname, bytes: responseBodySize + responseHeadersSize };
}
