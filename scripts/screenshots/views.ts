import type { Page } from '@playwright/test';
import { accountViews } from './account-views.ts';
import { adminViews } from './admin-views.ts';
import { click, dialog, fail, type View } from './view.ts';

/** Opens a panel of the timeline, which wide screens show open. */
const unfold = (name: string) => async (page: Page) => {
  const toggle = page.getByRole('button', { name, exact: true });
  if (await toggle.isVisible()) await toggle.click();
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
    { name: 'search', as: 'visitor', path: '/search?q=boat' },
    { name: 'search-empty', as: 'visitor', path: '/search', isScreen: true },
    { name: 'search-nothing', as: 'visitor', path: '/search?q=zyzzyva', isScreen: true },
    { name: 'search-suggestion', as: 'visitor', path: '/search?q=bote', withoutScripts: true },
    { name: 'login-prompt', as: 'visitor', path: '/', isScreen: true, act: dialog(/^Like/) },
    { name: 'post-code', as: 'visitor', path: post('code') },
    { name: 'post-short', as: 'visitor', path: post('short') },
    { name: 'post-pictures', as: 'visitor', path: post('pictured') },
    { name: 'archive', as: 'visitor', path: '/archive' },
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
    {
      name: 'post-comment-prompt',
      as: 'visitor',
      path: post('code'),
      isScreen: true,
      act: async page => {
        await page
          .getByRole('link', { name: /comment/ })
          .first()
          .click();
        await page.getByRole('alertdialog').waitFor();
      },
    },
    {
      name: 'timeline-comments',
      as: 'member',
      path: '/',
      act: async page => {
        await page
          .getByRole('button', { name: /[1-9] comment/ })
          .first()
          .click();
        await page.locator('.comment').first().waitFor();
      },
    },
    {
      name: 'comment-failed',
      as: 'member',
      path: `${post('talked')}#comments`,
      act: async page => {
        await fail(page, 'addComment');
        await page.getByLabel('Write a comment').fill('Half a sentence, and then the tunnel.');
        await click('Post comment')(page);
        await page.getByRole('alert').waitFor();
      },
    },
    {
      name: 'offline',
      as: 'visitor',
      path: '/login',
      act: async page => {
        await page.route(/\/(api|assets)\//, route => route.abort());
        await page.getByRole('link', { name: 'Sign Up', exact: true }).click();
        await page.getByRole('alert').waitFor();
      },
    },
    // Pages that are not screens of the app.
    { name: 'error-no-file', as: 'visitor', path: '/files/nothing', withoutScripts: true },
    { name: 'api-docs', as: 'visitor', path: '/api/docs', withoutScripts: true },
    { name: 'tag', as: 'visitor', path: '/tags/code' },
    { name: 'tag-nothing', as: 'visitor', path: '/tags/nothing' },
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
    { name: 'admin-timeline', as: 'admin', path: '/', isScreen: true },
    { name: 'about-dialog', as: 'admin', path: '/', isScreen: true, act: openAbout },
  ];
  return [...views, ...accountViews(posts), ...adminViews(posts), ...forcedColors(posts)];
}

/** Selected items and overlays in forced colours. */
function forcedColors(posts: ReadonlyMap<string, string>): View[] {
  const views: View[] = [
    { name: 'forced-timeline', as: 'visitor', path: '/?tags=code', isScreen: true },
    { name: 'forced-login-prompt', as: 'visitor', path: '/', isScreen: true, act: dialog(/^Like/) },
    { name: 'forced-post', as: 'member', path: `/post/${posts.get('talked')}#comments` },
    { name: 'forced-users', as: 'admin', path: '/admin' },
    { name: 'forced-editor', as: 'admin', path: `/admin/posts/${posts.get('draft')}/edit` },
  ];
  return views.map(view => ({ ...view, isForcedColors: true }));
}

/** A new site. */
export const emptyViews: readonly View[] = [
  { name: 'empty-timeline', as: 'visitor', path: '/' },
  { name: 'empty-setup', as: 'visitor', path: '/setup?token=none' },
  { name: 'empty-timeline-admin', as: 'admin', path: '/' },
  { name: 'empty-users', as: 'admin', path: '/admin' },
  { name: 'empty-posts', as: 'admin', path: '/admin/posts' },
  { name: 'empty-tags', as: 'admin', path: '/admin/tags' },
  { name: 'empty-invitations', as: 'admin', path: '/admin/invitations' },
  { name: 'empty-history', as: 'admin', path: '/admin/history?kind=import-started' },
  { name: 'empty-mail', as: 'admin', path: '/admin/mail' },
];

/** A site with mail and an OpenID provider. */
export function mailedViews(posts: ReadonlyMap<string, string>): View[] {
  return [
    { name: 'mailed-login', as: 'visitor', path: '/login' },
    { name: 'mailed-sign-in', as: 'visitor', path: '/sign-in' },
    { name: 'mailed-sign-in-sent', as: 'visitor', path: '/sign-in?done' },
    { name: 'mailed-signup', as: 'visitor', path: '/signup' },
    { name: 'mailed-account', as: 'member', path: '/account' },
    { name: 'mailed-profile', as: 'member', path: '/profile' },
    { name: 'mailed-invite', as: 'visitor', path: `/invite?token=${posts.get('invitation')}` },
    { name: 'mailed-users', as: 'admin', path: '/admin' },
    { name: 'mailed-invitations', as: 'admin', path: '/admin/invitations' },
    { name: 'mailed-mail', as: 'admin', path: '/admin/mail' },
  ];
}

export function hardViews(posts: ReadonlyMap<string, string>): View[] {
  return [
    { name: 'hard-timeline', as: 'admin', path: '/' },
    { name: 'hard-users', as: 'admin', path: '/admin' },
    { name: 'hard-posts', as: 'admin', path: '/admin/posts' },
    { name: 'hard-tags', as: 'admin', path: '/admin/tags' },
    {
      name: 'hard-comments',
      as: 'admin',
      path: `/post/${posts.get('rtl')}#comments`,
      act: async page => page.locator('.comment').first().waitFor(),
    },
    {
      name: 'hard-editor',
      as: 'admin',
      path: `/admin/posts/${posts.get('rtl')}/edit`,
      act: async page => page.locator('.cm-content').waitFor(),
    },
    ...[...posts].map(([name, id]): View => ({ name: `hard-${name}`, as: 'admin', path: `/post/${id}` })),
  ];
}

async function scroll(page: Page, y: number): Promise<void> {
  await page.evaluate(to => window.scrollTo({ top: to, behavior: 'instant' }), y);
  await page.locator('.tagbar.scrolled').waitFor({ state: 'attached' });
}

async function openAbout(page: Page): Promise<void> {
  await unfold('about')(page);
  await dialog('Edit About')(page);
}
