import type { Page } from '@playwright/test';
import { publishEssay, publishPost } from './content.ts';
import { expect, test } from './fixtures.ts';

/** The bar of bars.md, "The reader's browser": scripts of a reading page as they are served, in bytes. */
const most = 95_000;

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
      const sizes = await scriptsOf(reader, path);
      expect(sizes.length).toBeGreaterThan(0);
      const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(all, JSON.stringify({ path, sizes }, null, 2)).toBeLessThanOrEqual(most);
    }
  });
}

/** The scripts that a page loads until it asks for no more, each with its headers. */
async function scriptsOf(page: Page, path: string): Promise<{ name: string; bytes: number }[]> {
  const answers: Promise<{ name: string; bytes: number }>[] = [];
  page.on('requestfinished', request => {
    if (!request.url().endsWith('.js')) return;
    const name = new URL(request.url()).pathname;
    answers.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => ({
        name,
        bytes: responseBodySize + responseHeadersSize,
      })),
    );
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  return await Promise.all(answers);
}
