import { scriptLoadTimeoutMs } from '../contract/constants.ts';
import type { Screen, ScreenModule, Screens } from './app/screen.ts';
import { withTimeout } from './app/with-timeout.ts';
import * as postPage from './post/page.tsx';
import * as timelinePage from './timeline/page.tsx';

function screen(source: string, load: () => Promise<ScreenModule>): Screen {
  const self: Screen = {
    source,
    load: async () => {
      self.module ??= await withTimeout(load(), scriptLoadTimeoutMs, 'This page took too long to load.');
      return self.module;
    },
  };
  return self;
}

const editor = screen('web/editor/page.tsx', () => import('./editor/page.tsx'));

/**
 * The screen of each route. Reading pages are part of the first script, which costs less than two more
 * requests; each other screen is a script of its own.
 */
export const screens: Screens = {
  timeline: screen('web/timeline/page.tsx', async () => {
    await timelinePage.loadFirstStepsIfShown();
    return timelinePage;
  }),
  post: screen('web/post/page.tsx', async () => postPage),
  tag: screen('web/tag/page.tsx', () => import('./tag/page.tsx')),
  search: screen('web/search/page.tsx', () => import('./search/page.tsx')),
  archive: screen('web/archive/page.tsx', () => import('./archive/page.tsx')),
  profile: screen('web/profile/page.tsx', () => import('./profile/page.tsx')),
  login: screen('web/account/login.tsx', () => import('./account/login.tsx')),
  signInLink: screen('web/account/sign-in-link.tsx', () => import('./account/sign-in-link.tsx')),
  loginCode: screen('web/account/login-code.tsx', () => import('./account/login-code.tsx')),
  signup: screen('web/account/signup.tsx', () => import('./account/signup.tsx')),
  account: screen('web/account/account-page.tsx', () => import('./account/account-page.tsx')),
  forgotPassword: screen('web/account/forgot-password.tsx', () => import('./account/forgot-password.tsx')),
  resetPassword: screen('web/account/reset-password.tsx', () => import('./account/reset-password.tsx')),
  confirm: screen('web/account/confirm.tsx', () => import('./account/confirm.tsx')),
  invite: screen('web/account/invite.tsx', () => import('./account/invite.tsx')),
  unsubscribe: screen('web/account/unsubscribe.tsx', () => import('./account/unsubscribe.tsx')),
  setup: screen('web/account/setup.tsx', () => import('./account/setup.tsx')),
  users: screen('web/admin/users/page.tsx', () => import('./admin/users/page.tsx')),
  posts: screen('web/admin/posts/page.tsx', () => import('./admin/posts/page.tsx')),
  managedTags: screen('web/admin/tags/page.tsx', () => import('./admin/tags/page.tsx')),
  reportedComments: screen('web/admin/comments/page.tsx', () => import('./admin/comments/page.tsx')),
  backups: screen('web/admin/backups/page.tsx', () => import('./admin/backups/page.tsx')),
  system: screen('web/admin/system/page.tsx', () => import('./admin/system/page.tsx')),
  transfers: screen('web/admin/transfers/page.tsx', () => import('./admin/transfers/page.tsx')),
  invitations: screen('web/admin/invitations/page.tsx', () => import('./admin/invitations/page.tsx')),
  settings: screen('web/admin/settings/page.tsx', () => import('./admin/settings/page.tsx')),
  mail: screen('web/admin/mail/page.tsx', () => import('./admin/mail/page.tsx')),
  webhooks: screen('web/admin/webhooks/page.tsx', () => import('./admin/webhooks/page.tsx')),
  history: screen('web/admin/history/page.tsx', () => import('./admin/history/page.tsx')),
  newPost: editor,
  editPost: editor,
};
