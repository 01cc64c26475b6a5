import type { Page } from '@playwright/test';
import { callAs } from './author.ts';
import { click, dialog, fail, type View } from './view.ts';

/** The pages of authors and admins. */
export function adminViews(posts: ReadonlyMap<string, string>): View[] {
  const edit = (name: string) => `/admin/posts/${posts.get(name)}/edit`;
  return [
    { name: 'users', as: 'admin', path: '/admin' },
    { name: 'users-denied', as: 'admin', path: '/admin?list=denied' },
    {
      name: 'users-editing',
      as: 'admin',
      path: '/admin?list=approved',
      act: async page => {
        await click('Edit edith')(page);
        await page.getByRole('row', { name: /edith/ }).getByRole('button', { name: 'family' }).click();
        await page
          .getByText(/edith (reads|will)|becomes? visible/)
          .first()
          .waitFor({ timeout: 3_000 });
      },
    },
    {
      name: 'users-many',
      as: 'admin',
      path: '/admin',
      isScreen: true,
      act: async page => {
        await page.getByLabel(/^Select all/).check();
        await dialog('Approve selected')(page);
      },
    },
    {
      name: 'users-nobody',
      as: 'admin',
      path: '/admin',
      act: async page => {
        await page.getByLabel('Search users').fill('nobody of that name');
        await page.getByText('greta', { exact: true }).waitFor({ state: 'detached' });
      },
    },
    {
      name: 'users-failed',
      as: 'admin',
      path: '/admin',
      isScreen: true,
      act: async page => {
        await fail(page, 'approveUser');
        await click('Approve greta')(page);
        await page.getByRole('alert').waitFor();
      },
    },
    { name: 'posts', as: 'admin', path: '/admin/posts' },
    { name: 'posts-drafts', as: 'admin', path: '/admin/posts?filter=drafts' },
    { name: 'posts-nothing', as: 'admin', path: '/admin/posts?search=nothing+of+the+kind' },
    { name: 'posts-delete', as: 'admin', path: '/admin/posts', isScreen: true, act: dialog(/^Delete/) },
    { name: 'posts-likes', as: 'admin', path: '/admin/posts', isScreen: true, act: dialog(/[1-9] like/) },
    { name: 'posts-author', as: 'author', path: '/admin/posts' },
    { name: 'tags', as: 'admin', path: '/admin/tags' },
    { name: 'tags-rename', as: 'admin', path: '/admin/tags', act: click('Rename family') },
    { name: 'tags-delete', as: 'admin', path: '/admin/tags', isScreen: true, act: dialog('Delete family') },
    { name: 'settings', as: 'admin', path: '/admin/settings' },
    { name: 'mail', as: 'admin', path: '/admin/mail' },
    { name: 'webhooks', as: 'admin', path: '/admin/webhooks' },
    { name: 'history', as: 'admin', path: '/admin/history' },
    { name: 'history-nothing', as: 'admin', path: '/admin/history?person=nobody' },
    { name: 'backups', as: 'admin', path: '/admin/backups' },
    { name: 'system', as: 'admin', path: '/admin/system' },
    { name: 'import-export', as: 'admin', path: '/admin/import-export' },
    { name: 'invitations', as: 'admin', path: '/admin/invitations' },
    { name: 'invitations-proposed', as: 'admin', path: '/admin/invitations', act: click('Invite Anna Kay') },
    { name: 'invitations-made', as: 'admin', path: '/admin/invitations', act: invite },
    {
      name: 'invitations-list',
      as: 'admin',
      path: '/admin/invitations',
      act: async page => {
        await page.getByLabel('people by their addresses').check();
        await page.getByRole('textbox', { name: 'Addresses' }).fill('ann@example.org\nnobody');
        await page.getByText('nobody is not').waitFor();
      },
    },
    { name: 'editor-new', as: 'admin', path: '/admin/posts/new', act: editor },
    { name: 'editor-author', as: 'author', path: '/admin/posts/new', act: editor },
    {
      name: 'editor-essay',
      as: 'admin',
      path: '/admin/posts/new',
      act: async page => {
        await editor(page);
        await page.getByText('Essay', { exact: true }).click();
        await click('Publish')(page);
        await page.locator('[aria-invalid=true]').first().waitFor();
      },
    },
    {
      name: 'editor-too-long',
      as: 'admin',
      path: '/admin/posts/new',
      act: async page => {
        await editor(page);
        await page.locator('.cm-content').fill('A sentence that goes on. '.repeat(13));
        await page.getByText('Saved in this browser').waitFor();
      },
    },
    {
      name: 'editor-kept',
      as: 'admin',
      path: '/admin/posts/new',
      act: async page => {
        await editor(page);
        await page.locator('.cm-content').fill('What was not saved.');
        await page.getByText('Saved in this browser').waitFor();
        page.once('dialog', each => each.accept());
        await page.reload();
        await page.locator('html[data-hydrated]').waitFor();
        await page.getByRole('button', { name: 'Restore' }).waitFor();
      },
    },
    {
      name: 'editor-limits',
      as: 'admin',
      path: '/admin/posts/new',
      act: async page => {
        await editor(page);
        await page.getByText('Essay', { exact: true }).click();
        await page.getByLabel('Title').fill('A title that goes on. '.repeat(10));
        await page.getByLabel('Description').fill('Nearly too long. '.repeat(29));
        const tags = Array.from({ length: 51 }, (_, index) => `tag ${index},`);
        await page.getByRole('combobox', { name: 'Tags' }).fill(tags.join(''));
        await page.getByText('Remove 1 to save it.').waitFor();
      },
    },
    {
      name: 'editor-discard',
      as: 'admin',
      path: '/admin/posts/new',
      isScreen: true,
      act: async page => {
        await page.getByRole('button', { name: 'Discard' }).waitFor();
        await dialog('Discard')(page);
      },
    },
    {
      name: 'editor-help',
      as: 'admin',
      path: edit('draft'),
      act: async page => {
        await editor(page);
        await dialog('Writing help')(page);
      },
    },
    {
      name: 'editor-save-failed',
      as: 'admin',
      path: edit('draft'),
      isScreen: true,
      act: async page => {
        await editor(page);
        await fail(page, 'updatePost');
        await page.locator('.cm-content').press('End');
        await page.keyboard.type(' More.');
        await dialog('Save as Draft')(page);
      },
    },
    { name: 'editor-conflict', as: 'admin', path: edit('draft'), isScreen: true, act: conflict },
    { name: 'editor', as: 'admin', path: edit('draft'), act: editor },
    { name: 'editor-published', as: 'admin', path: edit('pictured'), act: editor },
    {
      name: 'editor-preview',
      as: 'admin',
      path: edit('draft'),
      act: async page => page.getByRole('tab', { name: 'Preview' }).click(),
    },
  ];
}

async function invite(page: Page): Promise<void> {
  await page.getByLabel('Name of the link').fill('Choir');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
}

/** Somebody else saves the post while this page is open. */
async function conflict(page: Page): Promise<void> {
  await editor(page);
  const postId = /posts\/([^/]+)\/edit/.exec(page.url())?.[1] ?? '';
  const { post } = await callAs(page.request, 'getPost', { postId });
  if (post.type !== 'essay') throw new Error('The draft is an essay.');
  const { title, description, content = '', tags } = post;
  const theirs = { type: 'essay', title, description, content: `${content}\n6. A swan.`, tags } as const;
  await callAs(page.request, 'updatePost', { ...theirs, postId, isDraft: true });
  await page.locator('.cm-content').press('End');
  await page.keyboard.type(' Twice.');
  await dialog('Save as Draft')(page);
  await callAs(page.request, 'updatePost', { ...theirs, postId, isDraft: true, content });
}

async function editor(page: Page): Promise<void> {
  await page.locator('.cm-content').waitFor();
}
