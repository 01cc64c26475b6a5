import { expectAccessible } from './axe.ts';
import { publishEssay } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { goTo } from './timeline.ts';

/** Essays that stand in the navigation or the footer. */

test('an author puts an essay into the navigation by keyboard, and its readers find it there', async ({
  page,
  people,
}) => {
  const admin = await people.visitor();
  await people.admin(admin);
  await publishEssay(admin, 'On rivers');
  await callFrom(admin, 'createPost', {
    ...{ type: 'essay', title: 'Contact', description: 'How to reach us.', content: 'By boat.' },
    ...{ isDraft: false, shownIn: 'footer' },
  });
  const secret = await publishEssay(admin, 'Recipes', 'friends');
  await admin.goto(`/admin/posts/${secret}/edit`);
  const places = admin.getByRole('group', { name: 'Shown in' });
  await places.getByRole('radio', { name: 'Timeline' }).focus();
  await admin.keyboard.press('ArrowRight');
  await expect(places.getByRole('radio', { name: 'Navigation' })).toBeChecked();
  await expectAccessible(admin);
  await admin.getByRole('button', { name: 'Save', exact: true }).click();
  const pages = admin.getByRole('navigation', { name: 'Pages' });
  await expect(pages.getByRole('link', { name: 'Recipes' })).toBeVisible();

  await goTo(page, '/');
  await expect(page.getByRole('article').getByRole('heading', { level: 2 })).toHaveText(['On rivers']);
  await expect(page.getByRole('navigation', { name: 'Pages' })).toHaveCount(0);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Contact' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Contact' })).toBeFocused();
  await expect(page.getByRole('contentinfo').getByRole('link', { name: 'Contact' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  await expectAccessible(page);
});
