import { fillHard } from '../../scripts/screenshots/hard.ts';
import { expect, hydrated, test } from './fixtures.ts';

test('nothing that an author can write makes a page scroll sideways', async ({
  page,
  allowedErrors,
  people,
}) => {
  // One of the pictures is not there.
  allowedErrors.push(/404/);
  await people.admin(page);
  const posts = await fillHard(page.request);
  for (const path of ['/', '/?page=2', ...[...posts.values()].map(id => `/post/${id}`)]) {
    await page.goto(path);
    await hydrated(page);
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([path, width, overflow]).toEqual([path, width, 0]);
    }
  }
});
