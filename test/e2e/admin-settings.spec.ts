import { expectAccessible } from './axe.ts';
import { publishEssay } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The settings of the site: decision 47. */

test('an admin makes the site their own, and every reader sees it', async ({
  admin: page,
  people: readers,
}) => {
  await publishEssay(page, 'On rivers');
  await page.goto('/admin/settings');
  await expectAccessible(page);
  const icon = page.locator('link[rel=icon][type="image/svg+xml"]');
  const before = (await icon.getAttribute('href')) ?? '';
  const region = page.getByRole('region', { name: 'The site' });
  await region.getByLabel('Name').fill('The Lockhouse');
  await region.getByLabel('One line about it').fill('Letters from a lock keeper.');
  await region.getByRole('button', { name: 'Add a link' }).click();
  await region.getByLabel('Words of link 1').fill('Contact');
  await region.getByLabel('Address of link 1').fill('mailto:lock@example.com');
  await region.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('banner').getByText('The Lockhouse')).toBeVisible();
  await expect(icon).not.toHaveAttribute('href', before);
  expect(await (await page.request.get((await icon.getAttribute('href')) ?? '')).text()).toContain(
    '>T</text>',
  );

  const look = page.getByRole('region', { name: 'Look' });
  await look.getByLabel('Blue').check();
  await look.getByLabel('EB Garamond').check();
  await expectAccessible(page);
  await look.getByRole('button', { name: 'Save' }).click();
  await expect(look.getByText('Saved.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Last change' })).toContainText(
    'mina changed “Colour” from “green” to “blue” and “Typeface for reading” from “literata” to “garamond”.',
  );

  // New posts begin with the tags that are chosen for them, and say who can read them.
  const people = page.getByRole('region', { name: 'People' });
  await callFrom(page, 'addTag', { name: 'Family' });
  await people.getByLabel('Tags of a new post').fill('family');
  await people.getByRole('button', { name: 'Save' }).click();
  await expect(people.getByText('Saved.')).toBeVisible();
  await page.getByRole('link', { name: 'Write' }).click();
  await expect(page.getByRole('toolbar', { name: 'Chosen tags' })).toHaveText('Family');
  await expect(page.getByText('Only admins, until a member is approved for “Family”.').first()).toBeVisible();
  await page.goBack();

  const line = region.getByLabel('One line about it');
  const section = page.getByRole('region', { name: 'Default permissions' });
  await section.getByRole('link', { name: 'Default Permissions' }).click();
  await expect(page).toHaveURL('/admin?list=approved#default-permissions');
  await expect(page.getByRole('heading', { name: 'Default Permissions' })).toBeInViewport();
  await page.goBack();
  await expect(line).toHaveValue('Letters from a lock keeper.');
  // What is typed and not saved is not lost without a question, by a link or by going back.
  await line.fill('Letters from');
  const link = page.getByRole('region', { name: 'Mail' }).getByRole('link', { name: 'Mail' });
  await link.click();
  const question = page.getByRole('alertdialog', { name: 'What you have changed here is not saved.' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(line).toHaveValue('Letters from');
  await line.fill('Letters from a lock keeper.');
  await link.click();
  await expect(page.getByRole('button', { name: 'Send test email' })).toBeVisible();

  const reader = await readers.visitor();
  await reader.goto('/');
  await expect(reader).toHaveTitle('The Lockhouse');
  await expect(reader.getByText('Letters from a lock keeper.')).toBeVisible();
  await expect(reader.getByRole('contentinfo').getByRole('link', { name: 'Contact' })).toBeVisible();
  const font = () =>
    reader.evaluate(() => getComputedStyle(document.querySelector('h2') as Element).fontFamily);
  expect(await font()).toContain('EB Garamond');
  await expect.poll(() => reader.evaluate(() => document.fonts.check('18px "EB Garamond"'))).toBe(true);
  await expectAccessible(reader);
});

test('on a phone, what came of saving settings is seen where they were saved', async ({
  page,
  people,
  allowedErrors,
}) => {
  allowedErrors.push(/503 .*\/api\/saveSiteSettings$/);
  await page.setViewportSize({ width: 360, height: 640 });
  await people.admin(page);
  await page.goto('/admin/settings');
  const region = page.getByRole('region', { name: 'The site' });
  await region.getByLabel('One line about it').fill('Letters from a lock keeper.');
  const save = region.getByRole('button', { name: 'Save' });
  await page.route('**/api/saveSiteSettings', route => route.fulfill({ status: 503 }), { times: 1 });
  await save.click();
  await expect(region.getByRole('alert')).toBeInViewport();
  await save.click();
  await expect(region.getByText('Saved.')).toBeInViewport();
});

test('what an admin types is kept while another one changes the same settings', async ({
  page,
  people,
  allowedErrors,
}) => {
  allowedErrors.push(/409 \(Conflict\).*\/api\/saveSiteSettings$/);
  await people.admin(page);
  const other = await people.admin(undefined, 'arthur');
  await page.clock.install();
  await page.goto('/admin/settings');
  const region = page.getByRole('region', { name: 'The site' });
  await region.getByLabel('Name').fill('The Lockhouse');
  await callFrom(other, 'saveSiteSettings', { values: { tagline: 'Of rivers.' }, version: 0 });
  await page.clock.fastForward(31_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(page.getByRole('region', { name: 'Last change' })).toContainText(
    'arthur changed “One line about it” to “Of rivers.”.',
  );
  await expect(region.getByLabel('Name')).toHaveValue('The Lockhouse');
  await region.getByRole('button', { name: 'Save' }).click();
  await expect(region.getByRole('alert')).toContainText('What you typed is kept: save again to use it.');
  await expect(region.getByLabel('Name')).toHaveValue('The Lockhouse');
  await region.getByRole('button', { name: 'Save' }).click();
  await expect(region.getByText('Saved.')).toBeVisible();
  await expect(region.getByLabel('Name')).toHaveValue('The Lockhouse');
  await expect(region.getByLabel('One line about it')).toHaveValue('Of rivers.');
  await page.getByRole('button', { name: 'Take it back' }).click();
  await expect(page.getByText('Taken back: “Name” from “Coterie” to “The Lockhouse”.')).toBeVisible();
  await expect(region.getByLabel('Name')).toHaveValue('Coterie');
  await expect(region.getByLabel('One line about it')).toHaveValue('Of rivers.');
});

test('a link without an address is refused, and a look that is not saved ends with the page', async ({
  admin: page,
}) => {
  await page.goto('/admin/settings');
  const region = page.getByRole('region', { name: 'The site' });
  await region.getByRole('button', { name: 'Add a link' }).click();
  await expect(region.getByLabel('Words of link 1')).toBeFocused();
  await region.getByRole('button', { name: 'Remove link 1' }).click();
  await expect(region.getByRole('button', { name: 'Add a link' })).toBeFocused();
  await region.getByRole('button', { name: 'Add a link' }).click();
  await region.getByLabel('Words of link 1').fill('Contact');
  await region.getByRole('button', { name: 'Save' }).click();
  const address = region.getByLabel('Address of link 1');
  await expect(address).toBeFocused();
  await expect(address).toHaveJSProperty('validationMessage', 'Give this link an address.');

  const accent = () =>
    page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--accent').replaceAll(' ', ''),
    );
  const before = await accent();
  const look = page.getByRole('region', { name: 'Look' });
  await look.getByLabel('Blue').check();
  await expect.poll(accent).not.toBe(before);
  await page.getByRole('link', { name: 'Coterie' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL('/');
  await expect.poll(accent).toBe(before);
});
