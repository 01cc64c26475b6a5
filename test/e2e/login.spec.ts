import type { Request } from '@playwright/test';
import { loggedOutBefore, tooLargeForProxy } from '../../web/storage/proxy.ts';
import { decide, memberPassword } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishPost } from './content.ts';
import { expect, test } from './fixtures.ts';

test('after signing up a notice says that the account is pending, and an approval reaches the open tab', async ({
  site,
  people,
}) => {
  await people.admin();
  const page = await people.visitor();
  await page.goto('/login');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Need an account? Sign Up' }).click();
  await expect(page.getByRole('link', { name: 'Already have an account? Log In' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Username').fill('lu cy');
  await page.getByLabel('Full Name').fill('Lucy Westenra');
  await page.getByLabel('Email').fill('mina@example.com');
  const password = page.getByLabel('Password');
  await password.fill(memberPassword);
  const eye = page.getByRole('button', { name: 'Show what is typed' });
  await expect(password).toHaveAttribute('type', 'password');
  await eye.click();
  await expect(eye).toHaveAttribute('aria-pressed', 'true');
  await expect(password).toHaveAttribute('type', 'text');
  await expect(password).toHaveValue(memberPassword);
  await eye.press('Enter');
  await expect(password).toHaveAttribute('type', 'password');
  // The browser says what is wrong before anything is sent.
  await page.getByRole('button', { name: 'Sign Up' }).click();
  expect(
    await page.getByLabel('Username').evaluate(input => (input as HTMLInputElement).validity.patternMismatch),
  ).toBe(true);
  await expect(page.getByLabel('Username')).toHaveAttribute(
    'title',
    'Username can only contain letters, numbers, and underscores',
  );
  await page.getByLabel('Username').fill('lucy');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  // Then the server reports it at the field concerned, and nothing typed is lost.
  await expect(page.getByRole('alert')).toContainText('Failed to create an account. ');
  await expect(page.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Username')).toHaveValue('lucy');
  await page.getByLabel('Email').fill('lucy@example.com');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByText('Your account is waiting for approval by an admin.')).toBeVisible();
  decide(site, 'lucy', 'approved');
  await expect(page.getByText('Your account is waiting for approval by an admin.')).toBeHidden();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
});

test('a name and a new password that are too long are not cut: the form says so at once, and sends nothing', async ({
  people,
}) => {
  await people.admin();
  const page = await people.visitor();
  await page.goto('/signup');
  await page.getByLabel('Username').fill('lucy');
  await page.getByLabel('Full Name').fill('Lucy Westenra');
  await page.getByLabel('Email').fill('lucy@example.com');
  const password = page.getByLabel('Password');
  await password.pressSequentially('correct horse battery staple');
  await expect(password).toHaveValue('correct horse battery staple');
  await expect(password).toHaveAccessibleDescription(
    '6 to 20 characters A password has at most 20 characters.',
  );
  await expectAccessible(page);
  const sent: string[] = [];
  page.on('request', request => request.method() === 'POST' && sent.push(request.url()));
  await page.getByRole('button', { name: 'Sign Up' }).click();
  expect(await password.evaluate(input => (input as HTMLInputElement).validity.customError)).toBe(true);
  await expect(password).toBeFocused();
  const name = page.getByLabel('Full Name');
  await name.fill('Lucy Westenra Holmwood-Godalming');
  await expect(name).toHaveAccessibleDescription('2 to 25 characters A name has at most 25 characters.');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(name).toBeFocused();
  expect(sent).toEqual([]);
  await name.fill('Lucy Westenra');
  await password.fill('correct horse');
  await expect(password).toHaveAccessibleDescription('6 to 20 characters');
  await expect(password).toHaveAttribute('passwordrules', 'minlength: 6; maxlength: 20;');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(page.getByText('Your account is waiting for approval by an admin.')).toBeVisible();
});

test('the log-in form reports a failure, is busy meanwhile, and leads back', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin, 'for friends', ['friends']);
  const page = await people.member('lucy');
  await page.context().clearCookies();
  await page.goto(`/post/${postId}`);
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('alert')).toHaveText('Failed to sign in. Please check your credentials.');
  await expect(page.getByLabel('Email')).toHaveValue('mina@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  let go = () => {};
  const held = new Promise<void>(resolve => {
    go = resolve;
  });
  await page.route('**/api/signIn', async route => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Logging in...' })).toBeDisabled();
  go();
  await expect(page).toHaveURL(`/post/${postId}`);
  await expect(page.getByText('for friends').first()).toBeVisible();
});

test('logging in leads only to paths of this site', async ({ people }) => {
  await people.admin();
  const page = await people.visitor();
  await page.goto(`/login?next=${encodeURIComponent('/..//evil.test')}`);
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page).toHaveURL('/');
});

/** Unexpected answers, and the sentences that people read. */
const away = 'The site is not available right now. Please try again in a moment.';
const outdated = 'This page may be out of date. Please reload it and try again.';
const html = (status: number) => ({ status, contentType: 'text/html', body: `<h1>${status}</h1>` });
const json = (status: number, body: unknown) => ({ status, json: body });
const failures = [
  ['a server that cannot be reached', null, 'The server cannot be reached.'],
  ['500 in HTML', html(500), away],
  ['502 in HTML', html(502), away],
  ['503 in HTML', html(503), away],
  ['504 in HTML', html(504), away],
  ['401 of a proxy', html(401), loggedOutBefore().message],
  ['403 of a proxy', html(403), loggedOutBefore().message],
  ['404 of a proxy', html(404), away],
  ['413 of a proxy', html(413), tooLargeForProxy],
  ['429 of a proxy', html(429), 'Too many requests. Please wait a moment and try again.'],
  ['400 of a proxy', html(400), outdated],
  ['200 in HTML', html(200), away],
  ['200 and no content', { status: 200, body: '' }, away],
  ['JSON of another program', json(200, {}), away],
  ['a list', json(200, []), away],
  ['an error of another program', json(500, { error: 'boom' }), away],
  ['an error without words', json(500, { error: { status: 'INTERNAL' } }), away],
  ['INTERNAL', json(500, { error: { status: 'INTERNAL', message: 'INTERNAL' } }), away],
  ['Bad Request', json(400, { error: { status: 'INVALID_ARGUMENT', message: 'Bad Request' } }), outdated],
  [
    'a limit of ours',
    json(429, { error: { status: 'RESOURCE_EXHAUSTED', message: 'Too many tries. Please wait.' } }),
    'Too many tries. Please wait.',
  ],
  [
    'a body that is too large for us',
    json(400, { error: { status: 'INVALID_ARGUMENT', message: 'This request is too large.' } }),
    'This request is too large.',
  ],
] as const;

test.describe(() => {
  test.use({ allowedErrors: [/Failed to load resource/] });

  test('an unexpected answer is reported in our own words at login and sign-up, and never as wrong credentials', async ({
    people,
  }) => {
    await people.admin();
    const page = await people.visitor();
    const meet = async (operation: string, button: string, start: string) => {
      for (const [name, answer, words] of failures) {
        await page.route(`**/api/${operation}`, route =>
          answer === null ? route.abort() : route.fulfill(answer),
        );
        const isAsked = (request: Request) => request.url().endsWith(operation);
        const asked =
          answer === null
            ? page.waitForEvent('requestfailed', isAsked)
            : page.waitForEvent('requestfinished', isAsked);
        await page.getByRole('button', { name: button, exact: true }).click();
        await asked;
        await expect(page.getByRole('alert'), name).toHaveText(`${start} ${words}`);
        await page.unroute(`**/api/${operation}`);
      }
    };
    await page.goto('/login');
    await page.getByLabel('Email').fill('mina@example.com');
    await page.getByLabel('Password').fill('quincey morris');
    await meet('signIn', 'Log In', 'Failed to sign in.');

    await page.goto('/signup');
    await page.getByLabel('Username').fill('lucy_w');
    await page.getByLabel('Full Name').fill('Lucy Westenra');
    await page.getByLabel('Email').fill('lucy@example.com');
    await page.getByLabel('Password').fill('arthur');
    await meet('signUp', 'Sign Up', 'Failed to create an account.');
  });
});

test('a mail about an answer leads to the comments also of a reader who must log in first', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin, 'For friends.', ['friends']);
  await people.member('lucy', { tags: ['friends'] });
  const page = await people.visitor();
  await page.goto(`/post/${postId}#comments`);
  await page.getByLabel('Email', { exact: true }).fill('lucy@example.com');
  await page.getByLabel('Password', { exact: true }).fill(memberPassword);
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page).toHaveURL(`/post/${postId}#comments`);
  await expect(page.getByLabel('Write a comment', { exact: true })).toBeInViewport();
});
