import type { Locator, Page } from '@playwright/test';
import { addAccount, memberPassword } from './accounts.ts';
import { publishNotes, setDefaultTags } from './content.ts';
import { callFrom, expect, hydrated, test, unfold } from './fixtures.ts';

/**
 * Presses Tab until an element has the focus. Fails if the focus is trapped or the element cannot be reached.
 */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await expect(wanted).toBeVisible();
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await wanted.evaluate(element => element === document.activeElement)) return;
  }
  await expect(wanted).toBeFocused({ timeout: 1 });
}

async function press(page: Page, wanted: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, wanted);
  await page.keyboard.press(key);
}

/** Presses a button of a dialog, once that has the focus. */
async function answer(page: Page, dialog: Locator, name: string): Promise<void> {
  const hasFocus = () => dialog.evaluate(element => element.contains(document.activeElement));
  await expect(dialog).toBeVisible();
  await expect.poll(hasFocus).toBe(true);
  const button = dialog.getByRole('button', { name });
  // It may have the focus from the beginning.
  if (!(await button.evaluate(element => element === document.activeElement))) await tabTo(page, button);
  await page.keyboard.press('Enter');
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

test('a reader reaches everything with the keyboard, and a screen reader announces where they are', async ({
  site,
  page,
  allowedErrors,
  people,
}) => {
  // The browser logs the wrong password.
  allowedErrors.push(/401/);
  const admin = await people.visitor();
  await people.admin(admin);
  await publishNotes(admin, ['Of bread.', 'bread'], ['Of rivers.', 'rivers']);
  setDefaultTags(site, 'rivers', 'bread');
  await callFrom(admin, 'createPost', {
    type: 'essay',
    title: 'On rivers',
    description: 'Where they come from.',
    content: '![A spring](/icon-192.png)\n\n![A mouth](/icon-512.png)',
    isDraft: false,
  });
  await addAccount(site, { username: 'lucy', name: 'Lucy' });

  // A visitor goes to the content, through the tags, and to the log-in page through a like.
  await page.goto('/');
  await hydrated(page);
  await press(page, page.getByRole('link', { name: 'Skip to content' }));
  await expect(page.getByRole('main')).toBeFocused();
  const search = page.getByRole('search');
  await press(page, search.getByRole('button', { name: 'rivers' }), 'Space');
  await press(page, search.getByRole('button', { name: 'Search' }));
  await expect(search.getByRole('status')).toHaveText('1 post found');
  await expect(search.getByRole('button', { name: 'Search' })).toBeFocused();
  await press(page, search.getByRole('button', { name: 'Clear' }));
  await expect(page.locator('article')).toHaveCount(3);
  const note = page.locator('article').filter({ hasText: 'Of rivers.' });
  const like = note.getByRole('button', { name: /^Like/ });
  await press(page, like);
  const question = page.getByRole('alertdialog');
  await expect(question).toMatchAriaSnapshot(`
    - alertdialog "You need to log in or sign up to perform this action. Would you like to continue to the login page?":
      - paragraph: You need to log in or sign up to perform this action. Would you like to continue to the login page?
      - button "No"
      - button "Yes"
  `);
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(like).toBeFocused();
  await page.keyboard.press('Enter');
  await answer(page, question, 'Yes');
  await expect(heading(page, 'Log In')).toBeFocused();
  await tabTo(page, page.getByLabel('Email'));
  await page.keyboard.type('lucy@example.com');
  await tabTo(page, page.getByLabel('Password'));
  await page.keyboard.type('wrong!');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('Failed to sign in. Please check your credentials.');
  await expect(page.getByLabel('Password')).toBeFocused();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(memberPassword);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/');
  await expect(heading(page, 'Posts')).toBeFocused();

  // A member likes a post, and adds and deletes a comment in place.
  await press(page, like, 'Space');
  await expect(like).toHaveAttribute('aria-pressed', 'true');
  await press(page, note.getByRole('button', { name: '0 comments' }));
  await tabTo(page, page.getByLabel('Write a comment', { exact: true }));
  await page.keyboard.type('By the bridge.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(note.getByRole('region', { name: '1 comment' })).toMatchAriaSnapshot(`
    - region "1 comment":
      - heading "1 comment" [level=2]
      - textbox "Write a comment"
      - button "Post comment"
      - status: Your comment has been added.
      - article "Comment by lucy":
        - strong: Lucy
        - text: lucy
        - time
        - paragraph: By the bridge.
        - button "Answer comment by lucy"
        - button "Edit comment by lucy"
        - button "Delete comment by lucy"
  `);
  await expect(page.getByLabel('Write a comment', { exact: true })).toBeFocused();
  await press(page, page.getByRole('button', { name: 'Delete comment by lucy' }));
  await answer(page, question, 'Delete');
  await expect(note.getByRole('heading', { name: '0 comments' })).toBeFocused();
  const said = note.getByRole('status').filter({ hasText: 'The comment has been deleted.' });
  await expect(said).toHaveCount(1);

  // The page of an essay: its pictures and its comments.
  await press(page, page.getByRole('link', { name: 'On rivers' }));
  await expect(heading(page, 'On rivers')).toBeFocused();
  const picture = page.getByRole('button', { name: 'Open image: A spring' });
  await press(page, picture);
  const box = page.getByRole('dialog', { name: 'Image 1 of 2' });
  await expect(box).toBeVisible();
  await expect(box.locator(':focus')).toHaveCount(1);
  for (let presses = 0; presses < 5; presses += 1) {
    await page.keyboard.press('Tab');
    // At its ends the dialog leads the focus back with the next frame.
    await expect(box.locator(':focus')).toHaveCount(1);
  }
  await press(page, box.getByRole('button', { name: 'Next image' }));
  await expect(page.getByRole('dialog').getByRole('status')).toHaveText('Image 2 of 2: A mouth');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(picture).toBeFocused();
  await press(page, page.getByRole('link', { name: '0 comments' }));
  await expect(page.locator('#comments')).toBeFocused();
  await tabTo(page, page.getByLabel('Write a comment', { exact: true }));

  // The profile and account pages, and logging out.
  await press(page, page.getByRole('link', { name: 'lucy' }));
  await expect(heading(page, 'Your Activity')).toBeFocused();
  await press(page, page.getByRole('button', { name: 'Subscribe' }));
  await expect(page.getByRole('button', { name: 'Unsubscribe' })).toBeFocused();
  await press(page, page.getByRole('link', { name: 'Account' }));
  await expect(heading(page, 'Your Account')).toBeFocused();
  await press(page, page.getByRole('button', { name: 'Logout' }));
  await expect(page).toHaveURL('/');
  await expect(heading(page, 'Posts')).toBeFocused();

  // A new user signs up.
  await press(page, page.getByRole('link', { name: 'Sign Up', exact: true }));
  await expect(heading(page, 'Sign Up')).toBeFocused();
  for (const [label, text] of [
    ['Username', 'mina_m'],
    ['Full Name', 'Mina Murray'],
    ['Email', 'murray@example.com'],
    ['Password', 'jonathan'],
  ] as const) {
    await tabTo(page, page.getByLabel(label));
    await page.keyboard.type(text);
  }
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('status').filter({ hasText: 'Your account is waiting' })).toBeVisible();
  await expect(heading(page, 'Posts')).toBeFocused();
  await admin.context().close();
});

test('a button that was pressed keeps the focus while it works and when it fails', async ({
  page,
  allowedErrors,
  people,
}) => {
  allowedErrors.push(/ERR_FAILED/);
  await people.admin(page);
  const buttons = [
    ['/admin/mail', 'Send test email', 'sendTestMail'],
    ['/admin/settings', 'Require it', 'setAdminFactor'],
    ['/account', 'Create confirmation link', 'sendConfirmation'],
    ['/account', 'Set up a second factor', 'requestSecondFactor'],
    ['/account', 'Download your data', 'exportAccount'],
    ['/account', 'Sign out everywhere', 'signOutEverywhere'],
    ['/', 'Save', 'saveAbout'],
  ] as const;
  for (const [path, name, operation] of buttons) {
    await page.route(`**/api/${operation}`, route => route.abort('failed'));
    await page.goto(path);
    if (operation === 'requestSecondFactor') await unfold(page, 'Other ways to log in');
    if (operation === 'saveAbout') await page.getByRole('button', { name: 'Edit About' }).click();
    const button = page.getByRole('button', { name });
    await button.press('Enter');
    if (operation === 'signOutEverywhere')
      await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out' }).press('Enter');
    await expect(page.getByText('The server cannot be reached.').first()).toBeVisible();
    await expect(button, name).toBeFocused();
  }
});

test('after the default permissions were saved, or their change cancelled, the focus is on their heading', async ({
  admin: page,
}) => {
  await callFrom(page, 'addTag', { name: 'rivers' });
  await page.goto('/admin?list=approved');
  const section = page.getByRole('region', { name: 'Default Permissions' });
  for (const name of ['Cancel', 'Save']) {
    await section.getByRole('button', { name: 'rivers' }).press('Space');
    const button = section.getByRole('button', { name });
    await expect(button).toBeEnabled();
    await button.press('Enter');
    await expect(button).toHaveCount(0);
    await expect(section.getByRole('heading')).toBeFocused();
  }
});
