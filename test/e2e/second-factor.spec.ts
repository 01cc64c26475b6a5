import { TOTP } from 'otpauth';
import { memberPassword, withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { callFrom, expect, test, unfold } from './fixtures.ts';
import { expectToFit } from './layout.ts';
import { openMail, test as testWithMail } from './mailed.ts';

// A wrong code is answered 400, and a sign-in that needs one 401, which the browser logs in its console.
test.use({ allowedErrors: [[/status of 40[01]/], { scope: 'test' }] });

const codeOf = (secret: string) => new TOTP({ secret }).generate();

/** Makes the last code old, so that the journey need not wait for the next one. */
function forgetLastCode(site: Parameters<typeof withDatabase>[0]): void {
  withDatabase(site, db => db.prepare('update second_factors set last_step = 0').run());
}

test('a second factor is set up, asked for and turned off with the keyboard', async ({ site, people }) => {
  const page = await people.member('lucy');
  await page.goto('/account');
  await unfold(page, 'Other ways to log in');
  const section = page.getByRole('region', { name: 'Second factor' });
  await section.getByRole('button', { name: 'Set up a second factor' }).focus();
  await page.keyboard.press('Enter');
  await expect(section.getByRole('img', { name: 'The secret as a QR code' })).toBeVisible();
  await section.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect(section.getByRole('heading')).toBeFocused();
  await section.getByRole('button', { name: 'Set up a second factor' }).press('Enter');
  await expect(section.getByLabel('Code of the app')).toBeFocused();
  await expectAccessible(page);
  await expectToFit(page);
  const secret = ((await section.locator('code').textContent()) ?? '').replaceAll(' ', '');
  const app = section.getByRole('link', { name: 'Open in an app on this device' });
  await expect(app).toHaveAttribute('href', new RegExp(`^otpauth://totp/.*secret=${secret}`));
  await expect(section.getByRole('button', { name: 'Copy the secret' })).toBeVisible();
  await page.keyboard.type('000000');
  await page.keyboard.press('Enter');
  await expect(section.getByRole('alert')).toContainText('This is not the code that the app makes now.');
  await section.getByLabel('Code of the app').fill(codeOf(secret));
  await page.keyboard.press('Enter');
  const codes = section.getByRole('listitem');
  await expect(codes).toHaveCount(10);
  await expect(section.getByText('10 recovery codes are left.')).toBeVisible();
  await expectAccessible(page);
  await expectToFit(page);
  const recoveryCode = (await codes.first().textContent()) ?? '';

  // Logs out, and in again to the requested page. The account page would lead to the login page by itself.
  await page.goto('/');
  await callFrom(page, 'signOut', {});
  forgetLastCode(site);
  await page.goto('/login?next=/account');
  await page.getByLabel('Email').fill('lucy@example.com');
  await page.getByLabel('Password').fill(memberPassword);
  const announced = await page.evaluateHandle(() => {
    const texts: (string | null)[] = [];
    const note = () =>
      texts.push(...[...document.querySelectorAll('[role=alert]')].map(alert => alert.textContent));
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
    return texts;
  });
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
  // That a code is asked for is no failure, and is not announced as one.
  expect(await announced.jsonValue()).toEqual([]);
  await expectAccessible(page);
  await expectToFit(page);
  const code = page.getByLabel('Code', { exact: true });
  await code.fill('000000');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').first()).toContainText('This code is not right, or was used.');
  await code.fill(codeOf(secret));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/account');

  // After a while turning it off needs the password and a code.
  const before = new Date(Date.now() - 3_600_000).toISOString();
  withDatabase(site, db => db.prepare('update sessions set created_at = ?').run(before));
  forgetLastCode(site);
  await section.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click();
  const dialog = page.getByRole('dialog', { name: 'Please confirm that it is you' });
  await dialog.getByLabel('Your password').fill(memberPassword);
  await dialog.getByLabel('Code of your app').fill(recoveryCode);
  await expectToFit(page);
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(section.getByText('Off. With it')).toBeVisible();
});

test('without scripts a page asks for the code, and the command line turns the second factor off', async ({
  site,
  people,
}) => {
  const scripted = await people.member('lucy');
  const { secret } = await callFrom(scripted, 'requestSecondFactor', {});
  await callFrom(scripted, 'turnOnSecondFactor', { secret, code: codeOf(secret) });
  forgetLastCode(site);
  const page = await people.visitor({ javaScriptEnabled: false });
  const logIn = async () => {
    await page.goto('/login?next=/profile');
    await page.getByLabel('Email').fill('lucy@example.com');
    await page.getByLabel('Password').fill(memberPassword);
    await page.getByRole('button', { name: 'Log In', exact: true }).click();
  };
  await logIn();
  await page.getByLabel('Code', { exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('alert')).toHaveText(
    'This code is not right, or was used. Please enter the next one.',
  );
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret));
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page).toHaveURL('/profile');

  expect(await site.cli('user', 'turn-off-second-factor', 'lucy')).toBe('lucy logs in without a code now.\n');
  await page.context().clearCookies();
  await logIn();
  await expect(page).toHaveURL('/profile');
});

test('a link that sets a new password asks for the code before it logs in', async ({ site, people }) => {
  const lucy = await people.member('lucy');
  const { secret } = await callFrom(lucy, 'requestSecondFactor', {});
  await callFrom(lucy, 'turnOnSecondFactor', { secret, code: codeOf(secret) });
  forgetLastCode(site);
  const link = /http\S+/.exec(await site.cli('user', 'reset-password', 'lucy'))?.[0] ?? '';
  const page = await people.visitor();
  await page.goto(link);
  await page.getByLabel('New password').fill('lost and found');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
  await expect(page.getByText('Your password has been changed.')).toBeVisible();
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret));
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('link', { name: 'lucy' })).toBeVisible();
  await page.goto(link);
  await expect(page.getByText('This link is no longer valid.')).toBeVisible();
});

testWithMail('where mail is sent the address is confirmed first', async ({ people, smtp }) => {
  const page = await people.member('lucy');
  await page.goto('/account');
  await unfold(page, 'Other ways to log in');
  const section = page.getByRole('region', { name: 'Second factor' });
  await expect(section.getByText('Confirm your email address first.')).toBeVisible();
  await expect(section.getByRole('button')).toHaveCount(0);
  await expectAccessible(page);
  await expectToFit(page);
  await page.getByRole('button', { name: 'Resend confirmation email' }).click();
  await expect(page.getByText('Email sent.')).toBeVisible();
  const mail = await page.context().newPage();
  await openMail(mail, smtp, 'lucy@example.com', 'Confirm your email address');
  await mail.getByRole('link', { name: 'Confirm' }).click();
  await mail.getByRole('button', { name: 'Confirm' }).click();
  await expect(mail.getByText('Your email address is confirmed.')).toBeVisible();
  await mail.close();
  await section.getByRole('button', { name: 'Set up a second factor' }).click();
  await expect(section.getByLabel('Code of the app')).toBeFocused();
});

test('a site that requires a second factor of admins leads an admin without one to set it up', async ({
  people,
}) => {
  const mina = await people.admin();
  const jonathan = await people.admin(undefined, 'jonathan');
  await mina.goto('/admin/settings');
  const section = mina.getByRole('region', { name: 'Second factor of admins' });
  await section.getByRole('button').click();
  await expect(mina.getByRole('alert')).toContainText('Turn on the second factor of your own account first');
  const { secret } = await callFrom(mina, 'requestSecondFactor', {});
  await callFrom(mina, 'turnOnSecondFactor', { secret, code: codeOf(secret) });
  await section.getByRole('button').click();
  await expect(section.getByText('Required: an admin without one')).toBeVisible();
  await expectAccessible(mina);
  await expectToFit(mina);

  await jonathan.goto('/');
  await jonathan.getByRole('link', { name: 'Admin' }).click();
  await expect(jonathan).toHaveURL('/account#second-factor');
  const own = jonathan.getByRole('region', { name: 'Second factor' });
  await expect(own.getByText('This site requires a second factor of its admins.')).toBeVisible();
  await expectToFit(jonathan);
  await own.getByRole('button', { name: 'Set up a second factor' }).click();
  const shown = ((await own.locator('code').textContent()) ?? '').replaceAll(' ', '');
  await own.getByLabel('Code of the app').fill(codeOf(shown));
  await jonathan.keyboard.press('Enter');
  await expect(own.getByText('10 recovery codes are left.')).toBeVisible();
  await jonathan.getByRole('link', { name: 'Admin' }).click();
  await expect(jonathan.getByRole('heading', { name: 'Users', exact: true })).toBeVisible();
});
