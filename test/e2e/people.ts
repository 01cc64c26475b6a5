import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import { addAccount, type NewAccount, startSession } from './accounts.ts';
import type { RunningSite } from './site.ts';

export type Kind = 'visitor' | 'pending' | 'denied' | 'member' | 'friend' | 'admin';

/** The people of a test's site. Each has a browser of their own, which is closed when the test ends. */
export class People {
  readonly #site: RunningSite;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  readonly #admins = new Set<string>();

  constructor(site: RunningSite, browser: Browser) {
    this.#site = site;
    this.#browser = browser;
  }

  async visitor(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ baseURL: this.#site.url, ...options });
    this.#contexts.push(context);
    return await context.newPage();
  }

  /**
   * Signs an admin in, in `page` or in a browser of their own. The site gets the account when it is first
   * asked for.
   */
  async admin(page?: Page, username = 'mina'): Promise<Page> {
    if (!this.#admins.has(username)) await this.#site.createAdmin(username);
    this.#admins.add(username);
    return await this.#signedIn(page ?? (await this.visitor()), username);
  }

  /** A new user with an account, signed in. */
  async member(
    username: string,
    { status, tags }: Pick<NewAccount, 'status' | 'tags'> = {},
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    await addAccount(this.#site, { username, name: `Full ${username}`, status, tags });
    return await this.#signedIn(await this.visitor(options), username);
  }

  /** A user of a kind, which is also the name; a `friend` is a member with the tag `friends`. */
  async open(kind: Kind, options: BrowserContextOptions = {}): Promise<Page> {
    if (kind === 'visitor') return await this.visitor(options);
    if (kind === 'admin') return await this.admin(await this.visitor(options));
    const status = kind === 'pending' || kind === 'denied' ? kind : 'approved';
    return await this.member(kind, { status, tags: kind === 'friend' ? ['friends'] : [] }, options);
  }

  async close(): Promise<void> {
    await Promise.all(this.#contexts.map(context => context.close()));
  }

  async #signedIn(page: Page, username: string): Promise<Page> {
    await startSession(this.#site, page.context(), username);
    return page;
  }
}
