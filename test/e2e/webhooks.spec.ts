import { createServer, type Server } from 'node:http';
import { listen } from '../support/listen.ts';
import { expectAccessible } from './axe.ts';
import { openAdminPage, publishEssay } from './content.ts';
import { expect, test } from './fixtures.ts';
import { expectToFit } from './layout.ts';

const hear = async (server: Server) => {
  const heard: string[] = [];
  server.on('request', async (request, response) => {
    heard.push(Buffer.concat(await request.toArray()).toString());
    response.writeHead(request.url === '/closed' ? 403 : 200).end();
  });
  return { heard, url: `http://127.0.0.1:${await listen(server)}` };
};

test.describe('on a site whose webhooks may be on its own machine', () => {
  test.use({ settings: { WEBHOOK_NETWORKS: '127.0.0.1' } });

  test('an admin adds a webhook, tests it, sees that it was told of a post, and removes it', async ({
    page,
    people,
    allowedErrors,
  }) => {
    allowedErrors.push(/503/);
    const server = createServer();
    const { heard, url } = await hear(server);
    await openAdminPage(page, people, 'Webhooks');
    await expectAccessible(page);
    await page.getByLabel('Service').selectOption('Another program');
    await page.getByLabel('Name').fill('Kitchen');
    await page.getByLabel('Address').fill(`${url}/hook`);
    await page.getByLabel('A backup failed').check();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await expect(page.getByLabel('The signing secret of “Kitchen”')).toHaveValue(/^whsec_/);
    const kitchen = page.getByRole('region', { name: 'Kitchen', exact: true });
    await expect(kitchen).toContainText('New post, A backup failed.');
    await expect(kitchen).toContainText('Nothing was sent yet.');
    await expectAccessible(page);
    const test = page.getByRole('button', { name: 'Send test to Kitchen' });
    await test.press('Enter');
    await expect(page.getByText('“Kitchen” has taken the test.')).toBeVisible();
    await expect(test).toBeFocused();
    expect(heard).toEqual([expect.stringContaining('This is a test')]);
    await publishEssay(page, 'On rain');
    await expect.poll(() => heard.at(-1)).toContain('There is a new post: “On rain”');
    await expect
      .poll(async () => {
        await page.reload();
        // The row is not there before the first attempt.
        return (await kitchen.getByRole('row', { name: 'New post' }).allInnerTexts()).join();
      })
      .toContain('Sent');
    await expectToFit(page);
    await expect(page.getByLabel('The signing secret')).toHaveCount(0);
    await page.getByLabel('Service').selectOption('ntfy');
    await page.getByLabel('Name').fill('Phone');
    await page.getByLabel('Address').fill(`${url}/closed`);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await expect(page.getByRole('heading', { name: 'Add a webhook' })).toBeFocused();
    await page.getByRole('button', { name: 'Send test to Phone' }).click();
    await expect(page.getByText('“Phone” has not taken the test. The server answered 403.')).toBeVisible();
    await page.getByRole('button', { name: 'Remove Kitchen' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await expect(kitchen).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await expect(page.getByRole('region', { name: 'Phone' })).toBeVisible();
    server.closeAllConnections();
    server.close();
  });
});

test('an inner address is refused with the reason', async ({ page, people, allowedErrors }) => {
  allowedErrors.push(/503/);
  await openAdminPage(page, people, 'Webhooks');
  await page.getByLabel('Name').fill('Phone');
  await page.getByLabel('Address').fill('http://127.0.0.1:1/topic');
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('button', { name: 'Send test to Phone' }).click();
  await expect(page.getByText('127.0.0.1 is not on the public Internet.')).toBeVisible();
});
