import sharp from 'sharp';
import { expectAccessible } from './axe.ts';
import { picture, startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The pictures of a text as pictures, with their captions, beside their Markdown. */

test('pictures of a text get captions and descriptions, are moved, removed and restored', async ({
  admin: page,
}) => {
  await startEssay(page, 'Pictures');
  await write(page, 'We walked.');
  await page.getByLabel('Images and videos to insert').setInputFiles(['IMG_1.png', 'IMG_2.png'].map(picture));
  const rows = page.getByRole('region', { name: /Pictures in the text/ }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await page.getByLabel('Caption of picture 1').fill('The "old" gate');
  await page.getByLabel('Description of picture 2 for those who do not see it').fill('A river [wide]');
  const lines = text(page).locator('.cm-line');
  const first = /^!\[\]\(\/files\/[\w-]+\/IMG_1\.png "The \\"old\\" gate"\)$/;
  const second = /^!\[A river \\\[wide\\\]\]\(\/files\/[\w-]+\/IMG_2\.png\)$/;
  await expect(lines.filter({ hasText: '/files/' })).toHaveText([first, second]);
  await page.getByRole('button', { name: 'Move picture 1 down' }).click();
  await expect(lines.filter({ hasText: '/files/' })).toHaveText([second, first]);
  await page.getByRole('button', { name: 'Remove picture 1' }).click();
  await expect(rows).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Remove picture 1' })).toBeFocused();
  await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
  await expect(lines.filter({ hasText: '/files/' })).toHaveText([second, first]);
  const beside = page.getByLabel('Picture beside the preview');
  await expect(beside.getByRole('option')).toHaveText([
    'Automatic: the first picture',
    /^Picture 1/,
    'Picture 2: The "old" gate',
    'No picture',
  ]);
  await beside.selectOption({ label: 'Picture 2: The "old" gate' });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.getByRole('link', { name: 'Pictures', exact: true }).first().click();
  await expect(page.locator('.gallery figcaption')).toHaveText('The "old" gate');
  await expect(page.locator('.gallery').getByAltText('A river [wide]')).toBeVisible();
  await page.goto('/');
  const preview = page.locator('article img');
  await expect(preview).toHaveAttribute('src', /IMG_1\.png/);
  // On a phone it is beside the text, and above it for a reader with larger letters.
  await page.setViewportSize({ width: 360, height: 740 });
  const words = page.getByText('What they carry.');
  for (const [letters, isAbove] of [
    ['100%', false],
    ['135%', true],
  ] as const) {
    await words.evaluate((_, size) => document.documentElement.style.setProperty('font-size', size), letters);
    const [shown, text] = [await preview.boundingBox(), await words.boundingBox()];
    expect((shown?.x ?? 0) < (text?.x ?? 0) + (text?.width ?? 0), letters).toBe(isAbove);
  }
});

test('a caption is typed beside a long text, in its middle too', async ({ admin: page }) => {
  await startEssay(page, 'Long');
  await write(page, 'The river rose. '.repeat(300));
  await page.getByLabel('Images and videos to insert').setInputFiles(picture('IMG_1.png'));
  const caption = page.getByLabel('Caption of picture 1');
  await caption.pressSequentially('The gate');
  await caption.press('Home');
  await caption.pressSequentially('Old: ');
  await expect(caption).toHaveValue('Old: The gate');
  await text(page).focus();
  await page.keyboard.press('ControlOrMeta+End');
  const lines = text(page).locator('.cm-line');
  await expect(lines.filter({ hasText: '/files/' })).toHaveText(/^!\[\]\(\S+ "Old: The gate"\)$/);
});

test('pictures are turned, in the text and attached, and keep their words and the focus', async ({
  page,
  people,
}) => {
  const colours = { width: 40, height: 20, channels: 3, background: 'teal' } as const;
  const wide = {
    name: 'gate.png',
    mimeType: 'image/png',
    buffer: await sharp({ create: colours }).png().toBuffer(),
  };
  await people.admin(page);
  await startEssay(page, 'Turned');
  await write(page, 'Words.');
  await page.getByLabel('Images and videos to insert').setInputFiles(wide);
  await page.getByLabel('Caption of picture 1').fill('The gate');
  await page.getByLabel('Files to attach').setInputFiles(wide);
  await page.getByLabel('Caption of gate.png').fill('The gate again');
  await page.getByLabel('Description of gate.png for those who do not see it').fill('Iron bars');
  for (const [button, told] of [
    ['Turn picture 1', 'Picture 1 is turned.'],
    ['Turn gate.png', 'gate.png is turned.'],
  ] as const) {
    const turn = page.getByRole('button', { name: button });
    await turn.press('Enter');
    await expect(page.getByText(told)).toBeAttached();
    await expect(turn).toBeFocused();
  }
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const { posts } = await callFrom(page, 'getPosts', {});
  const { post } = await callFrom(page, 'getPost', { postId: posts[0]?.id ?? '' });
  expect(post.content).toMatch(/^Words\.\n\n!\[gate\.png\]\(\S+ "The gate"\)/);
  expect(post.attachments).toMatchObject([
    { name: 'gate.png', description: 'The gate again', alt: 'Iron bars' },
  ]);
  const addresses = [/\((\/files\/\S+)/.exec(post.content ?? '')?.[1] ?? '', post.attachments[0]?.url ?? ''];
  for (const address of addresses) {
    const size = await page.evaluate(async url => {
      const { width, height } = await createImageBitmap(await (await fetch(url)).blob());
      return [width, height];
    }, address);
    expect(size).toEqual([20, 40]);
  }
});

test('what is written while a picture is turned stays where it was written', async ({ page, people }) => {
  const create = { width: 40, height: 20, channels: 3, background: '#356' } as const;
  const buffer = await sharp({ create }).png().toBuffer();
  await people.admin(page);
  await startEssay(page, 'Turned while writing');
  // So long that the page hears of it once typing rests.
  await write(page, 'Many words. '.repeat(400));
  await page
    .getByLabel('Images and videos to insert')
    .setInputFiles({ name: 'gate.png', mimeType: 'image/png', buffer });
  await expect(page.getByLabel('Caption of picture 1')).toBeVisible();
  const held = Promise.withResolvers<void>();
  await page.route('**/v0/b/**', async route => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Turn picture 1' }).press('Enter');
  const text = page.getByRole('textbox', { name: 'Content' });
  await text.press('ControlOrMeta+Home');
  await page.keyboard.insertText('Before it. ');
  held.resolve();
  await expect(page.getByText('Picture 1 is turned.')).toBeAttached();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const { posts } = await callFrom(page, 'getPosts', {});
  const { post } = await callFrom(page, 'getPost', { postId: posts[0]?.id ?? '' });
  expect(post.content).toMatch(
    /^Before it\. (Many words\. ){399}Many words\.\s+!\[gate\.png\]\(\/files\/[^()]+\)\s*$/,
  );
});

test('a picture can be turned again after the upload of the turned one was cancelled', async ({
  page,
  people,
}) => {
  const create = { width: 40, height: 20, channels: 3, background: '#356' } as const;
  const buffer = await sharp({ create }).png().toBuffer();
  await people.admin(page);
  await startEssay(page, 'Turned twice');
  await page
    .getByLabel('Images and videos to insert')
    .setInputFiles({ name: 'gate.png', mimeType: 'image/png', buffer });
  await expect(page.getByLabel('Caption of picture 1')).toBeVisible();
  // Nothing is answered before the upload is cancelled.
  await page.route('**/v0/b/**', () => {});
  const turn = page.getByRole('button', { name: 'Turn picture 1' });
  await turn.press('Enter');
  await page.getByRole('button', { name: /^Cancel .*gate/ }).click();
  await page.unroute('**/v0/b/**');
  await turn.press('Enter');
  await expect(page.getByText('Picture 1 is turned.')).toBeAttached();
});
