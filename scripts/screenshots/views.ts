import type { Page } from '@playwright/test';
import { people } from '../demo/people.ts';

export type Viewer = 'visitor' | 'pending' | 'member' | 'admin';

/** A page in a state. */
export type View = {
  name: string;
  as: Viewer;
  path: string;
  /** Brings the page into its state; starts once its buttons act. */
  act?(page: Page): Promise<void>;
  /** Only what is on the screen: for what lies over the page, or was scrolled to. */
  isScreen?: true;
  print?: true;
  withoutScripts?: true;
};

const person = (status: 'approved' | 'pending') => people.find(each => each.status === status)?.email ?? '';
export const emails: Record<Exclude<Viewer, 'visitor'>, string> = {
  pending: person('pending'),
  member: people.find(({ username }) => username === 'noor')?.email ?? '',
  admin: 'admin@example.com',
};

const click = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
};
const dialog = (name: string | RegExp) => async (page: Page) => {
  await click(name)(page);
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor();
};
/** Opens a fold of the timeline, which wide screens show unfolded. */
const unfold = (name: string) => async (page: Page) => {
  const toggle = page.getByRole('button', { name, exact: true });
  if (await toggle.isVisible()) await toggle.click();
};
const fail = async (page: Page, operation: string) => {
  await page.route(`**/api/${operation}`, route => route.abort());
};

const invite = async (page: Page) => {
  await page.getByLabel('Name of the link').fill('Choir');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
};

/** Every page and its main states, on the site of the demonstration. */
export function demoViews(posts: ReadonlyMap<string, string>): View[] {
  const post = (name: string) => `/post/${posts.get(name)}`;
  const views: View[] = [
    { name: 'timeline', as: 'visitor', path: '/' },
    { name: 'timeline-scrolled', as: 'visitor', path: '/', isScreen: true, act: page => scroll(page, 900) },
    { name: 'timeline-about', as: 'visitor', path: '/', isScreen: true, act: unfold('about') },
    { name: 'timeline-search', as: 'visitor', path: '/?tags=code', isScreen: true },
    { name: 'timeline-nothing', as: 'visitor', path: '/?tags=nothing' },
    {
      name: 'timeline-loading',
      as: 'visitor',
      path: '/login',
      isScreen: true,
      act: async page => {
        await page.route('**/api/getPosts', () => {});
        await page.locator('.brand').click();
        await page.getByText('Loading posts...').waitFor();
      },
    },
    {
      name: 'timeline-failed',
      as: 'visitor',
      path: '/',
      act: async page => {
        await fail(page, 'getPosts');
        await click('Load More Posts')(page);
        await page.getByText('Failed to load posts').waitFor();
      },
    },
    { name: 'timeline-without-scripts', as: 'visitor', path: '/', withoutScripts: true },
    { name: 'login-prompt', as: 'visitor', path: '/', isScreen: true, act: dialog(/^Like/) },
    { name: 'post-code', as: 'visitor', path: post('code') },
    { name: 'post-short', as: 'visitor', path: post('short') },
    { name: 'post-pictures', as: 'visitor', path: post('pictured') },
    { name: 'post-missing', as: 'visitor', path: '/post/nothing' },
    { name: 'post-print', as: 'visitor', path: post('code'), print: true },
    { name: 'post-pictures-print', as: 'visitor', path: post('pictured'), print: true },
    { name: 'post-short-print', as: 'visitor', path: post('short'), print: true },
    {
      name: 'lightbox',
      as: 'visitor',
      path: post('pictured'),
      isScreen: true,
      act: dialog(/^Open image: The upper/),
    },
    { name: 'tag', as: 'visitor', path: '/tags/code' },
    { name: 'tag-nothing', as: 'visitor', path: '/tags/nothing' },
    { name: 'login', as: 'visitor', path: '/login' },
    {
      name: 'login-failed',
      as: 'visitor',
      path: '/login',
      act: async page => {
        await page.getByLabel('Email').fill('mina@example.com');
        await page.getByLabel('Password').fill('not this');
        await click('Log In')(page);
        await page.getByRole('alert').waitFor();
      },
    },
    { name: 'signup', as: 'visitor', path: '/signup' },
    { name: 'forgot-password', as: 'visitor', path: '/forgot-password' },
    { name: 'reset-password', as: 'visitor', path: '/reset-password?token=none' },
    { name: 'unsubscribe', as: 'visitor', path: '/unsubscribe?token=none' },
    { name: 'setup', as: 'visitor', path: '/setup?token=none' },
    { name: 'pending-timeline', as: 'pending', path: '/', isScreen: true },
    { name: 'pending-post', as: 'pending', path: post('closed') },
    { name: 'pending-alert', as: 'pending', path: '/', isScreen: true, act: dialog(/^Like/) },
    { name: 'member-timeline', as: 'member', path: '/', isScreen: true },
    {
      name: 'comments',
      as: 'member',
      path: `${post('talked')}#comments`,
      act: async page => page.locator('.comment').first().waitFor(),
    },
    {
      name: 'logout-unsaved',
      as: 'member',
      path: `${post('talked')}#comments`,
      isScreen: true,
      act: async page => {
        await page.getByLabel('Write a comment').fill('Half a sent');
        await dialog('Logout')(page);
      },
    },
    { name: 'not-shared', as: 'member', path: post('closed') },
    { name: 'profile', as: 'member', path: '/profile' },
    { name: 'profile-empty', as: 'pending', path: '/profile' },
    { name: 'account', as: 'member', path: '/account' },
    { name: 'admin-timeline', as: 'admin', path: '/', isScreen: true },
    { name: 'about-dialog', as: 'admin', path: '/', isScreen: true, act: openAbout },
    { name: 'users', as: 'admin', path: '/admin' },
    { name: 'posts', as: 'admin', path: '/admin/posts' },
    { name: 'posts-drafts', as: 'admin', path: '/admin/posts?filter=drafts' },
    { name: 'posts-delete', as: 'admin', path: '/admin/posts', isScreen: true, act: dialog(/^Delete/) },
    { name: 'tags', as: 'admin', path: '/admin/tags' },
    { name: 'mail', as: 'admin', path: '/admin/mail' },
    { name: 'backups', as: 'admin', path: '/admin/backups' },
    { name: 'import-export', as: 'admin', path: '/admin/import-export' },
    { name: 'invite', as: 'visitor', path: `/invite?token=${posts.get('invitation')}` },
    { name: 'invitations', as: 'admin', path: '/admin/invitations' },
    { name: 'invitations-made', as: 'admin', path: '/admin/invitations', act: invite },
    { name: 'editor-new', as: 'admin', path: '/admin/posts/new', act: editor },
    { name: 'editor', as: 'admin', path: `/admin/posts/${posts.get('draft')}/edit`, act: editor },
    {
      name: 'editor-published',
      as: 'admin',
      path: `/admin/posts/${posts.get('pictured')}/edit`,
      isScreen: true,
      act: editor,
    },
    {
      name: 'editor-preview',
      as: 'admin',
      path: `/admin/posts/${posts.get('draft')}/edit`,
      act: async page => page.getByRole('tab', { name: 'Preview' }).click(),
    },
  ];
  return views;
}

/** A site on its first day. */
export const emptyViews: readonly View[] = [{ name: 'empty-timeline', as: 'visitor', path: '/' }];

export function hardViews(posts: ReadonlyMap<string, string>): View[] {
  return [
    { name: 'hard-timeline', as: 'admin', path: '/' },
    ...[...posts].map(([name, id]): View => ({ name: `hard-${name}`, as: 'admin', path: `/post/${id}` })),
  ];
}

async function editor(page: Page): Promise<void> {
  await page.locator('.cm-content').waitFor();
}

async function scroll(page: Page, y: number): Promise<void> {
  await page.evaluate(to => window.scrollTo({ top: to, behavior: 'instant' }), y);
  await page.locator('.tagbar.scrolled').waitFor({ state: 'attached' });
}

async function openAbout(page: Page): Promise<void> {
  await unfold('about')(page);
  await dialog('Edit About')(page);
}
