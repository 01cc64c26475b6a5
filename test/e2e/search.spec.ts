import { expectAccessible } from './axe.ts';
import { publishEssay, publishNotes, setDefaultTags } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { expectToFit } from './layout.ts';

const boats = Array.from({ length: 11 }, (_, n): [string] => [`Boat number ${n + 1} in the harbour.`]);

test('a reader opens the search with a key, finds as they type, and goes through results with the arrows', async ({
  admin: page,
  people,
}) => {
  await publishNotes(page, ...boats);
  await publishEssay(page, 'A boat of paper');
  const reader = await people.visitor();
  await reader.goto('/');
  await reader.keyboard.press('/');
  await expect(reader).toHaveURL('/search');
  const field = reader.getByRole('searchbox', { name: 'Search posts' });
  await expect(field).toBeFocused();
  await reader.keyboard.type('boa');
  await expect(reader).toHaveURL('/search?q=boa');
  await expect(reader.getByRole('heading', { name: 'A boat of paper' }).locator('mark')).toHaveText('boat');
  await expect(reader.getByRole('status')).toHaveText('10 results, and more on the next page.');
  await reader.keyboard.press('ArrowDown');
  await expect(reader.getByRole('link', { name: 'A boat of paper' })).toBeFocused();
  await reader.keyboard.press('ArrowDown');
  await expect(reader.getByRole('link', { name: 'Boat number 11' })).toBeFocused();
  await reader.keyboard.press('ArrowUp');
  await reader.keyboard.press('Enter');
  await expect(reader.getByRole('heading', { level: 1, name: 'A boat of paper' })).toBeFocused();
  await reader.goBack();
  await expect(field).toHaveValue('boa');
  await reader.getByRole('link', { name: 'Next Page' }).click();
  await expect(reader.locator('.found li')).toHaveCount(2);
  // Where a key is typed it is no shortcut.
  await field.fill('boat/');
  await expect(field).toHaveValue('boat/');
  await page.goto('/admin/posts/new');
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.type('Read https://example.org/boats');
  await expect(page.getByRole('textbox', { name: 'Content' })).toHaveText('Read https://example.org/boats');
  await expect(page).toHaveURL('/admin/posts/new');
});

test('the key / opens the search until the reader turns it off', async ({ people }) => {
  const reader = await people.visitor();
  await reader.goto('/search');
  const choice = reader.getByRole('checkbox', { name: 'The key / opens this search' });
  await choice.uncheck();
  const isTaken = () =>
    reader.evaluate(() => {
      const init = { key: '/', bubbles: true, cancelable: true };
      return !document.body.dispatchEvent(new KeyboardEvent('keydown', init));
    });
  expect(await isTaken()).toBe(false);
  await reader.reload();
  await expect(choice).not.toBeChecked();
  expect(await isTaken()).toBe(false);
  await choice.check();
  expect(await isTaken()).toBe(true);
});

test('words that hold a year with posts offer the filter for that year', async ({ admin: page, people }) => {
  await publishNotes(page, ['A boat.']);
  const [year] = (await callFrom(page, 'search', { q: 'boat' })).years;
  const reader = await people.visitor();
  await reader.goto(`/search?q=Boat+${year}`);
  await expect(reader.getByText(`Nothing about “Boat ${year}”.`)).toBeVisible();
  await expectAccessible(reader);
  const offer = reader.getByRole('link', { name: `Search “Boat” in ${year}` });
  await offer.click();
  await expect(reader).toHaveURL(`/search?q=Boat&year=${year}`);
  await expect(reader.locator('.found li')).toHaveCount(1);
  await expect(offer).toHaveCount(0);
  await reader.goto(`/search?q=${year}`);
  await reader.getByRole('link', { name: `Show the posts of ${year}` }).click();
  await expect(reader).toHaveURL(`/search?year=${year}`);
});

test('what nobody wrote is answered by what was probably meant, and filters narrow what is found', async ({
  site,
  admin: page,
  people,
}) => {
  await publishNotes(page, ['A boat.', 'sea'], ['The boat on ice.'], ['A closed boat.', 'friends']);
  await publishEssay(page, 'On boats');
  setDefaultTags(site, 'sea');
  const reader = await people.visitor();
  await reader.goto('/search?q=bote');
  await expect(reader.getByText('Nothing about “bote”. These are about “boat”:')).toBeVisible();
  await expect(reader.getByRole('status')).toHaveText('Nothing found. 2 results about boat.');
  await reader.getByRole('link', { name: '“boat”' }).click();
  await expect(reader.getByRole('searchbox')).toHaveValue('boat');
  await expect(reader.locator('.found li')).toHaveCount(3);
  await reader.getByRole('combobox', { name: 'Tag' }).selectOption('sea');
  await expect(reader.locator('.found li')).toHaveText([/A boat\./]);
  await reader.getByRole('link', { name: 'Search everything' }).click();
  await reader.getByRole('combobox', { name: 'Kind' }).selectOption('Essays');
  await expect(reader.locator('.found li')).toHaveText([/On boats/]);
  // Not `check`, which looks at the state once: it follows the address, which changes a moment later.
  await reader.getByRole('checkbox', { name: 'With pictures' }).click();
  await expect(
    reader.getByText('Nothing about “boat” with these filters. Try fewer or other words.'),
  ).toBeVisible();
  await expect(reader.getByRole('combobox', { name: 'Tag' }).locator('option')).toHaveText([
    'Every tag',
    'sea',
  ]);
  // Filters alone list what they leave.
  await reader.getByRole('searchbox').fill('');
  await expect(reader.getByText('There are no posts with these filters.')).toBeVisible();
  await reader.getByRole('checkbox', { name: 'With pictures' }).click();
  await expect(reader.locator('.found li')).toHaveText([/On boats/]);
  await expect(reader.getByRole('status')).toHaveText('1 result.');
});

test('the search works without scripts, fits each screen and is accessible', async ({
  site,
  admin: page,
  people,
}) => {
  await publishNotes(page, ...boats, ['A boat at sea.', 'sea']);
  setDefaultTags(site, 'sea');
  const plain = await people.visitor({ javaScriptEnabled: false });
  await plain.goto('/');
  await plain.getByRole('link', { name: 'Find posts' }).click();
  await plain.getByRole('searchbox').fill('boat');
  await plain.getByRole('button', { name: 'Search' }).click();
  await expect(plain).toHaveTitle('Search for “boat” · Coterie');
  await expect(plain.locator('.found li')).toHaveCount(10);
  await plain.getByRole('link', { name: 'Next Page' }).click();
  await expect(plain.locator('.found li')).toHaveCount(2);
  await plain.getByRole('combobox', { name: 'Tag' }).selectOption('sea');
  await plain.getByRole('button', { name: 'Search' }).click();
  await expect(plain.locator('.found li')).toHaveText([/A boat at sea\./]);

  const member = await people.member('lucy');
  const { posts } = await callFrom(member, 'getPosts', {});
  await callFrom(member, 'addComment', { postId: posts[0]?.id ?? '', content: 'My own boat.' });
  await member.goto('/search?q=boat');
  await expect(member.getByRole('heading', { name: 'Your comments' })).toBeVisible();
  await expectToFit(member);
  await expectAccessible(member, async () => {
    await member.goto('/search?q=boat&kind=short');
  });
});
