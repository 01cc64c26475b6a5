import sharp from 'sharp';
import { expect, signIn, test } from './site.ts';

test('a picture goes from the editor into the text by the storage protocol', async ({ page, site }) => {
  await site.createAdmin();
  await page.goto('/login');
  await signIn(page, 'mina');
  const steps: string[] = [];
  page.on('request', request => {
    const command = request.headers()['x-goog-upload-command'];
    if (command !== undefined) steps.push(command);
  });
  await page.goto('/admin/posts/new');
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const wide = sharp({ create: { width: 1_000, height: 500, channels: 3, background: 'gold', noise } });
  const buffer = await wide.png().toBuffer();
  const picture = { name: 'river bank (1).png', mimeType: 'image/png', buffer };
  await page.getByLabel('Images and videos to insert').setInputFiles(picture);
  await expect(page.getByText(/!\[.*\]\(\/files\/[\w-]{16}\/river_bank__1_\.png\)/)).toBeVisible();
  expect(steps[0]).toBe('start');
  expect(steps.at(-1)).toBe('upload, finalize');
  await page.getByLabel('Files to attach').setInputFiles({ ...picture, name: 'other one.png' });
  await expect(page.getByLabel('Description of other one.png')).toBeVisible();
});
