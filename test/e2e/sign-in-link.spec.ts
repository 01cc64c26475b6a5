import type { BrowserContext, Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { addAccount, withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom } from './fixtures.ts';
import { expect, openMail, type Smtp, test } from './mailed.ts';
import type { People } from './people.ts';
import type { RunningSite } from './site.ts';

// A call that needs a recent sign-in is answered 400, and one that needs a code 401: the browser logs both.
test.use({ allowedErrors: [[/status of 40[01]/], { scope: 'test' }] });

const subject = 'Log in to Coterie';
const grete = 'grete@example.com';
const sent = `If ${grete} is the address of an account, we have emailed it a link.`;

/** A member who reads a post for friends, and its address. */
async function postForFriends(site: RunningSite, people: People, admin: Page): Promise<string> {
  await people.admin(admin);
  await publishForFriends(admin);
  const { posts } = await callFrom(admin, 'getPosts', { filtTags: ['friends'] });
  await addAccount(site, { username: 'grete', name: 'Oma Grete', tags: ['friends', 'family'] });
  withDatabase(site, db => db.prepare('update users set email_verified = 1').run());
  return `/post/${posts[0]?.id}`;
}

/** The codes of the mails to the member. */
const codes = (smtp: Smtp) =>
  smtp.mails.flatMap(({ to, text }) => (to === grete ? (/: (\d{6})\b/.exec(text)?.slice(1) ?? []) : []));

/** The page of the link that was mailed to the member. */
async function openLink(context: BrowserContext, smtp: Smtp): Promise<Page> {
  const reader = await context.newPage();
  await openMail(reader, smtp, grete, subject);
  await reader.getByRole('link', { name: 'Log in' }).click();
  return reader;
}

test('a member logs in with a link in a mail, which leads to the post that they wanted to read', async ({
  site,
  smtp,
  page,
  people,
  browser,
}) => {
  const path = await postForFriends(site, people, page);
  const reader = await (await browser.newContext({ baseURL: site.url })).newPage();
  await reader.goto(path);
  await expect(reader).toHaveURL(/\/login\?next=/);
  await expectAccessible(reader);
  await reader.getByRole('link', { name: 'Let us email you a link' }).click();
  await expectAccessible(reader);
  await reader.getByLabel('Email').fill(grete);
  await reader.getByRole('button', { name: 'Email me a link' }).click();
  await expect(reader.getByRole('status')).toContainText(sent);

  const phone = await (await browser.newContext({ baseURL: site.url })).newPage();
  await openMail(phone, smtp, grete, subject);
  await phone.getByRole('link', { name: 'Log in' }).click();
  await expect(phone.getByText('This logs you in as grete in this browser.')).toBeVisible();
  await expectAccessible(phone);
  const link = phone.url();
  await phone.getByRole('button', { name: 'Log In' }).click();
  await expect(phone).toHaveURL(path);
  await expect(phone.getByRole('paragraph').filter({ hasText: 'For friends' })).toBeVisible();

  // The same link again, in the browser of somebody who found it.
  await reader.goto(link);
  await expect(reader.getByText('This link is no longer valid.')).toBeVisible();
  await expect(reader.getByRole('button', { name: 'Log In' })).toHaveCount(0);
  await reader.getByRole('link', { name: 'Email me a new link' }).click();
  await expect(reader.getByLabel('Email')).toBeVisible();

  // The browser was new to the account, so its owner gets a notice.
  await phone.goto('about:blank');
  await openMail(phone, smtp, grete, 'New sign-in at Coterie');
  await expect(phone.getByText(/logged in as grete .*Chrome on /)).toBeVisible();
});

test('who has forgotten how they log in is led to the link, and types their address once', async ({
  site,
  smtp,
  page,
  people,
}) => {
  const path = await postForFriends(site, people, page);
  const reader = await people.visitor();
  await reader.goto(`/login?next=${path}`);
  const email = reader.getByLabel('Email', { exact: true });
  await email.fill('grete');
  await reader.getByLabel('Password').fill('never had one');
  await reader.getByRole('button', { name: 'Log In', exact: true }).click();
  const noUsername = /A username does not work here/;
  await expect(email).toHaveAccessibleDescription(noUsername);
  await expectAccessible(reader);
  // The same for an address without an account.
  const logIn = reader.getByRole('button', { name: 'Log In', exact: true });
  const password = reader.getByLabel('Password', { exact: true });
  for (const address of ['nobody@example.com', grete]) {
    await email.fill(address);
    await expect(email).not.toHaveAccessibleDescription(noUsername);
    await password.fill('never had one');
    await logIn.click();
    await expect(reader.getByText('Please check your credentials.')).toBeVisible();
    await expect(reader.getByText('No password?')).toBeInViewport();
    await reader.reload();
  }
  await email.fill('greta@example.com');
  await logIn.click();
  await expect(password).toBeFocused();
  await expect(password).toHaveAccessibleDescription(/or log in with a link/);
  await expectAccessible(reader);
  await reader.getByRole('link', { name: 'Forgot your password?' }).click();
  await expectAccessible(reader);
  await reader.getByRole('link', { name: 'let us email you a link' }).click();
  await reader.getByRole('button', { name: 'Email me a link' }).click();
  await expect(reader.getByRole('status')).toContainText('If greta@example.com is the address of an account');
  await reader.getByRole('link', { name: 'Use another address' }).click();
  await expect(email).toBeFocused();
  await expect(email).toHaveValue('greta@example.com');
  await email.fill(grete);
  await reader.getByRole('button', { name: 'Email me a link' }).click();
  await expect(reader.getByRole('status')).toContainText(sent);
  const other = await openLink(reader.context(), smtp);
  await other.getByRole('button', { name: 'Log In' }).click();
  await expect(other).toHaveURL(path);
  // The tab where the link was asked for goes there, too.
  await expect(reader).toHaveURL(path);
  await expect(reader.getByRole('paragraph').filter({ hasText: 'For friends' })).toBeVisible();
});

test('where the link would open another browser, the code of the same mail is typed', async ({
  site,
  smtp,
  page,
  people,
  browser,
}) => {
  const path = await postForFriends(site, people, page);
  const app = await (await browser.newContext({ baseURL: site.url })).newPage();
  await app.goto(`/sign-in?next=${path}`);
  await app.getByLabel('Email').fill(grete);
  await app.keyboard.press('Enter');
  const field = app.getByLabel('Code from the email');
  await expect(field).toBeVisible();
  await expectAccessible(app);
  // A finger that misses the button does not press the link.
  const button = await app.getByRole('button', { name: 'Log In' }).boundingBox();
  const back = await app.getByRole('link', { name: 'Back to Log In' }).boundingBox();
  expect((back?.y ?? 0) - ((button?.y ?? 0) + (button?.height ?? 0))).toBeGreaterThan(12);
  await expect.poll(() => codes(smtp)).toHaveLength(1);
  await field.fill(codes(smtp)[0] === '111111' ? '222222' : '111111');
  await app.keyboard.press('Enter');
  await expect(app.getByText('This is not the code of the newest email')).toBeVisible();
  // Where the form was sent before scripts ran, the page does not know the address.
  await app.goto(`/sign-in?done=sent&next=${path}`);
  await app.getByLabel('Email', { exact: true }).fill(grete);
  await field.fill(codes(smtp)[0] ?? '');
  await app.keyboard.press('Enter');
  await expect(app).toHaveURL(path);
  await expect(app.getByRole('paragraph').filter({ hasText: 'For friends' })).toBeVisible();
});

test('the link of a mail logs in without scripts, with the keyboard, and only once', async ({
  site,
  smtp,
  page,
  people,
  browser,
}) => {
  const path = await postForFriends(site, people, page);
  const context = await browser.newContext({ baseURL: site.url, javaScriptEnabled: false });
  const reader = await context.newPage();
  await reader.goto(`/sign-in?next=${path}`);
  await reader.getByLabel('Email').fill(grete);
  await reader.keyboard.press('Enter');
  await expect(reader.getByText('If there is an account with this address')).toBeVisible();
  // The policy of our page would stop the mail from being shown in its place.
  await reader.goto('about:blank');
  await openMail(reader, smtp, grete, subject);
  await reader.getByRole('link', { name: 'Log in' }).focus();
  await reader.keyboard.press('Enter');
  await expect(reader).toHaveURL(/\/sign-in\?token=/);
  const link = reader.url();
  await reader.getByRole('button', { name: 'Log In' }).focus();
  await reader.keyboard.press('Enter');
  await expect(reader).toHaveURL(path);
  await expect(reader.getByRole('paragraph').filter({ hasText: 'For friends' })).toBeVisible();
  await reader.goto(link);
  await expect(reader.getByText('This link is no longer valid.')).toBeVisible();
});

test('on a shared device the session ends with the browser, and the account page says so', async ({
  site,
  smtp,
  page,
  people,
  browser,
}) => {
  await postForFriends(site, people, page);
  await callFrom(page, 'requestSignInLink', { email: grete });
  const context = await browser.newContext({ baseURL: site.url });
  const reader = await openLink(context, smtp);
  await reader.getByLabel('Keep me logged in').uncheck();
  await reader.getByRole('button', { name: 'Log In' }).click();
  await expect(reader.getByRole('link', { name: 'grete' })).toBeVisible();
  const cookies = await context.cookies();
  expect(cookies.find(({ name }) => name === 'coterie-session')?.expires).toBe(-1);
  await reader.goto('/account');
  const sessions = reader.getByRole('region', { name: 'Signed in' });
  await expect(sessions.getByText('Until the browser is closed, a day at most')).toBeVisible();
  await sessions.scrollIntoViewIfNeeded();
});

/** A member without a password, at the question who they are. */
async function changeOwnEmail(site: RunningSite, smtp: Smtp, admin: Page, context: BrowserContext) {
  await callFrom(admin, 'requestSignInLink', { email: grete });
  const reader = await openLink(context, smtp);
  await reader.getByRole('button', { name: 'Log In' }).click();
  await expect(reader.getByRole('link', { name: 'grete' })).toBeVisible();
  return { reader, dialog: await askForOwnEmail(site, reader) };
}

/** Makes the session an hour old and the sign-in links used, and asks for another address. */
async function askForOwnEmail(site: RunningSite, reader: Page) {
  const before = new Date(Date.now() - 3_600_000).toISOString();
  withDatabase(site, db => {
    db.prepare('update sessions set created_at = ?, password_given_at = null').run(before);
    db.exec(
      `delete from email_links;
       delete from sign_in_methods where user_id = (select id from users where username = 'grete')`,
    );
  });
  await reader.goto('/account');
  await reader.getByRole('region', { name: 'Email' }).getByLabel('New email').fill('oma@example.com');
  await reader.keyboard.press('Enter');
  await expectAccessible(reader);
  return reader.getByRole('dialog', { name: 'Please confirm that it is you' });
}

test('the owner of an account without a password confirms with a link in another tab, and the first tab continues', async ({
  site,
  smtp,
  page,
  people,
  browser,
}) => {
  await postForFriends(site, people, page);
  const context = await browser.newContext({ baseURL: site.url });
  const { reader, dialog } = await changeOwnEmail(site, smtp, page, context);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByRole('status')).toContainText('You have not logged in once more');
  await dialog.getByRole('button', { name: 'Email me a link' }).click();
  await expect(dialog.getByRole('status')).toContainText(`We have emailed a link to ${grete}.`);

  // The link of the first mail has been used.
  const links = () => smtp.mails.filter(({ source }) => source.includes(`Subject: ${subject}`));
  await expect.poll(() => links().length).toBe(2);
  const other = await context.newPage();
  await openMail(other, smtp, grete, subject);
  await other.getByRole('link', { name: 'Log in' }).click();
  await expect(other.getByText('This confirms that it is you.')).toBeVisible();
  await expectAccessible(other);
  await other.getByRole('button', { name: 'Confirm' }).focus();
  await other.keyboard.press('Enter');
  await expect(other.getByRole('status')).toContainText('Confirmed. Go back to the other tab to continue.');
  await other.close();

  // A headless browser does not give a page the focus by itself.
  await reader.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(dialog).toHaveCount(0);
  await expect(reader.getByText('We sent a link to the new address.')).toBeVisible();
});

test('the owner of an account without a password confirms with the code of the mail, and then with that of their app', async ({
  site,
  smtp,
  page,
  people,
  browser,
}) => {
  await postForFriends(site, people, page);
  const context = await browser.newContext({ baseURL: site.url });
  const { reader, dialog } = await changeOwnEmail(site, smtp, page, context);
  const field = dialog.getByLabel('Code from the email');
  await expect(field).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Email me a link' }).click();
  await expect.poll(() => codes(smtp).length).toBe(2);
  const code = codes(smtp).at(-1) ?? '';
  await field.fill(code === '111111' ? '222222' : '111111');
  await reader.keyboard.press('Enter');
  await expect(dialog.getByText('This is not the code of the newest email')).toBeVisible();
  await expectAccessible(reader);
  await field.fill(code);
  await reader.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(reader.getByText('We sent a link to the new address.')).toBeVisible();

  const { secret } = await callFrom(reader, 'requestSecondFactor', {});
  const appCode = () => new TOTP({ secret }).generate();
  await callFrom(reader, 'turnOnSecondFactor', { secret, code: appCode() });
  withDatabase(site, db => db.exec('update second_factors set last_step = 0'));
  await askForOwnEmail(site, reader);
  await dialog.getByRole('button', { name: 'Email me a link' }).click();
  await expect.poll(() => codes(smtp).length).toBe(3);
  await field.fill(codes(smtp).at(-1) ?? '');
  await reader.keyboard.press('Enter');
  await expect(field).toHaveCount(0);
  await expectAccessible(reader);
  await expect(dialog.getByLabel('Code of your app')).toBeFocused();
  await reader.keyboard.type(appCode());
  await reader.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(reader.getByText('We sent a link to the new address.')).toBeVisible();
});
