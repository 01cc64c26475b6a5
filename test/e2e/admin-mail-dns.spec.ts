import { expectAccessible } from './axe.ts';
import { openAdminPage } from './content.ts';
import { expect, test } from './mailed.ts';

test.use({ allowedErrors: [/status of 503/] });

const findings = [
  { about: 'SPF of blog.example', isGood: true, sentence: 'v=spf1 mx ~all' },
  {
    about: 'DKIM of blog.example',
    isGood: false,
    sentence: `Add a TXT record to the DNS, with the name x._domainkey.blog.example and the text: v=DKIM1; p=${'A'.repeat(392)}`,
  },
];

test('an admin learns what the DNS lacks for the mail of this site', async ({ page, people }) => {
  // There is no DNS where tests run; examine-dns.test.ts has what it may say.
  await page.route('**/api/checkMailDns', route => route.fulfill({ json: { result: { findings } } }));
  await openAdminPage(page, people, 'Mail');
  const section = page.getByRole('region', { name: 'DNS of the sender' });
  await section.getByRole('button', { name: 'Check the DNS' }).click();
  await expect(
    section.getByRole('listitem').filter({ hasText: 'SPF of blog.example' }).getByText('Good:'),
  ).toBeVisible();
  await expect(
    section
      .getByRole('listitem')
      .filter({ hasText: 'To change:' })
      .getByText(/^Add a TXT record/),
  ).toBeVisible();
  await expectAccessible(page);
  await page.route('**/api/checkMailDns', route =>
    route.fulfill({
      status: 503,
      json: { error: { status: 'UNAVAILABLE', message: 'The DNS did not answer.' } },
    }),
  );
  await section.getByRole('button', { name: 'Check the DNS' }).click();
  await expect(section.getByText('The DNS did not answer.')).toBeVisible();
});
