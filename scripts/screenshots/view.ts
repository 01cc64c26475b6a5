import type { Page } from '@playwright/test';
import { people } from '../demo/people.ts';

/** `reader` is a member whose second factor the views turn on. */
export type Viewer = 'visitor' | 'pending' | 'member' | 'reader' | 'author' | 'admin';

/** A page in a state. */
export type View = {
  name: string;
  as: Viewer;
  path: string;
  /** Brings the page into its state. Called once the page is hydrated. */
  act?(page: Page): Promise<void>;
  /** Takes only the visible part: for overlays, and after scrolling. */
  isScreen?: true;
  print?: true;
  /** With forced colours, as for readers who set their own colours for all pages. */
  isForcedColors?: true;
  withoutScripts?: true;
};

const addressOf = (wanted: string) => people.find(({ username }) => username === wanted)?.email ?? '';
export const emails: Record<Exclude<Viewer, 'visitor'>, string> = {
  pending: addressOf('greta'),
  member: addressOf('noor'),
  reader: addressOf('jonas_r'),
  author: addressOf('edith'),
  admin: 'admin@example.com',
};

export const click = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
};

/** Presses a button that opens a dialog. */
export const dialog = (name: string | RegExp) => async (page: Page) => {
  await click(name)(page);
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).waitFor();
};

export const fail = async (page: Page, operation: string) => {
  await page.route(`**/api/${operation}`, route => route.abort());
};
