import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { matchPath } from 'react-router';
import { scriptLoadTimeoutMs } from '../../contract/constants.ts';
import type { Call } from '../../contract/operations.ts';
import type { PageHead } from '../../contract/pages.ts';
import { withTimeout } from './with-timeout.ts';

/** What a screen is prepared from: the address, and the way to its data. */
export type ScreenRequest = {
  call: Call;
  client: QueryClient;
  params: Readonly<Record<string, string | undefined>>;
  search: URLSearchParams;
};

/** A screen's module: `prepare` loads what it shows into the client, and says what the document is called. */
export type ScreenModule = {
  default: ComponentType;
  /** Throws Redirect where the reader belongs elsewhere. */
  prepare(request: ScreenRequest): Promise<PageHead & { status?: number }>;
};

export type Screen = {
  path: string;
  /** Its source file: the key of its script in the build's manifest. */
  source: string;
  load(): Promise<ScreenModule>;
  /** Present once loaded, so that the first page hydrates without waiting. */
  module?: ScreenModule;
};

function screen(path: string, source: string, load: () => Promise<ScreenModule>): Screen {
  const self: Screen = {
    path,
    source,
    load: async () => {
      self.module ??= await withTimeout(load(), scriptLoadTimeoutMs, 'The script of this page did not come.');
      return self.module;
    },
  };
  return self;
}

/** Every screen by its route; each is a script of its own. A path that none matches leads to the timeline. */
export const screens: readonly Screen[] = [
  screen('/', 'web/timeline/page.tsx', () => import('../timeline/page.tsx')),
  screen('/post/:postId', 'web/post/page.tsx', () => import('../post/page.tsx')),
  screen('/tags/:tag', 'web/tag/page.tsx', () => import('../tag/page.tsx')),
  screen('/profile', 'web/profile/page.tsx', () => import('../profile/page.tsx')),
  screen('/login', 'web/account/login.tsx', () => import('../account/login.tsx')),
  screen('/signup', 'web/account/signup.tsx', () => import('../account/signup.tsx')),
  screen('/admin', 'web/admin/users/page.tsx', () => import('../admin/users/page.tsx')),
  screen('/admin/tags', 'web/admin/tags/page.tsx', () => import('../admin/tags/page.tsx')),
  screen(
    '/forgot-password',
    'web/account/forgot-password.tsx',
    () => import('../account/forgot-password.tsx'),
  ),
  screen('/reset-password', 'web/account/reset-password.tsx', () => import('../account/reset-password.tsx')),
  screen('/confirm', 'web/account/confirm.tsx', () => import('../account/confirm.tsx')),
  screen('/unsubscribe', 'web/account/unsubscribe.tsx', () => import('../account/unsubscribe.tsx')),
  screen('/account', 'web/account/account-page.tsx', () => import('../account/account-page.tsx')),
  screen('/admin/mail', 'web/admin/mail/page.tsx', () => import('../admin/mail/page.tsx')),
  screen('/admin/posts', 'web/admin/posts/page.tsx', () => import('../admin/posts/page.tsx')),
  screen('/admin/posts/new', 'web/editor/page.tsx', () => import('../editor/page.tsx')),
  screen('/admin/posts/:postId/edit', 'web/editor/page.tsx', () => import('../editor/page.tsx')),
  screen('/setup', 'web/account/setup.tsx', () => import('../account/setup.tsx')),
];

/**
 * The screen at a path, and what the path names; undefined where there is none. Server and browser both ask here, so that
 * an odd spelling of a path meets the same guard as the plain one. The router's own matching weighs all routes against
 * each other for every page that is made, which took a tenth of the time.
 */
export function screenAt(pathname: string): { screen: Screen; params: ScreenRequest['params'] } | undefined {
  const path = decoded(pathname);
  if (path === undefined) return undefined;
  for (const screen of screens) {
    const match = matchPath(screen.path, path);
    if (match !== null) return { screen, params: match.params };
  }
  return undefined;
}

/** A path without its escapes, as the router matches it; undefined where these are no text. */
function decoded(pathname: string): string | undefined {
  try {
    return pathname
      .split('/')
      .map(part => decodeURIComponent(part).replaceAll('/', '%2F'))
      .join('/');
  } catch {
    return undefined;
  }
}
