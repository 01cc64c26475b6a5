import type { Page } from '@playwright/test';
import { startSmtp } from '../support/smtp.ts';
import { test as base, expect } from './fixtures.ts';

export type Smtp = Awaited<ReturnType<typeof startSmtp>>;

/** A test with a site that sends mail to a real SMTP server. */
export const test = base.extend<{ smtp: Smtp }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright tells fixtures by their destructured parameter
  smtp: async ({}, use) => {
    const smtp = await startSmtp();
    await use(smtp);
    await smtp.stop();
  },
  settings: async ({ smtp }, use) => use({ SMTP_URL: smtp.url }),
});

/** Opens the HTML of the newest mail to an address, as a mail program shows it, with working links. */
export async function openMail(page: Page, smtp: Smtp, to: string, subject: string): Promise<void> {
  const find = () =>
    smtp.mails.findLast(mail => mail.to === to && mail.source.includes(`Subject: ${subject}`));
  await expect.poll(find).toBeDefined();
  await page.setContent(find()?.html ?? '');
}

export { expect };
