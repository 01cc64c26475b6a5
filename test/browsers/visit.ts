/** What a journey needs of a browser: one page of one person, with cookies of its own. */
export interface Tab {
  /** Errors that nothing caught or that were logged, as far as the browser tells them. */
  readonly faults: string[];
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  back(): Promise<void>;
  /** What an expression is in the page. */
  evaluate(expression: string): Promise<unknown>;
  /** Resolves once an expression is true in the page. */
  until(expression: string): Promise<void>;
  /** Resolves once what has this role and name is shown. */
  sees(role: string, name: string): Promise<void>;
  press(role: 'button' | 'link', name: string): Promise<void>;
  click(selector: string): Promise<void>;
  /** Presses keys where the focus is. */
  type(words: string): Promise<void>;
  key(name: 'Tab' | 'Enter' | 'Escape' | 'ArrowRight' | ' '): Promise<void>;
  upload(selector: string, paths: readonly string[]): Promise<void>;
}

/** One person who visits the site. */
export class Visit {
  readonly tab: Tab;
  readonly #url: string;

  constructor(tab: Tab, url: string) {
    this.tab = tab;
    this.#url = url;
  }

  /** Runs a function in the page; it sees nothing but its arguments. */
  async run<Args extends (string | number)[]>(
    script: (...args: Args) => unknown,
    ...args: Args
  ): Promise<unknown> {
    return await this.tab.evaluate(callOf(script, args));
  }

  /** Resolves once the function returns what is true. */
  async until<Args extends (string | number)[]>(
    script: (...args: Args) => unknown,
    ...args: Args
  ): Promise<void> {
    await this.tab.until(callOf(script, args));
  }

  /** Opens a page, and goes on once the app has taken it over. */
  async go(path: string): Promise<void> {
    await this.tab.open(`${this.#url}${path}`);
    await this.until(() => document.documentElement.dataset.hydrated !== undefined);
  }

  async fill(fields: Record<string, string>): Promise<void> {
    for (const [label, words] of Object.entries(fields)) {
      await this.until(focusOnField, label);
      await this.tab.type(words);
    }
  }

  async reads(words: string): Promise<void> {
    await this.until(text => document.body.innerText.includes(text), words);
  }

  async readsNoMore(words: string): Promise<void> {
    await this.until(text => !document.body.innerText.includes(text), words);
  }

  /** Resolves once so many elements are there. */
  async counts(selector: string, count: number): Promise<void> {
    await this.until((all, wanted) => document.querySelectorAll(all).length === wanted, selector, count);
  }

  async isAt(path: string): Promise<void> {
    await this.until(wanted => location.pathname + location.search === wanted, path);
  }

  async path(): Promise<string> {
    return String(await this.run(() => location.pathname));
  }

  async logIn(username: string, password: string): Promise<void> {
    await this.go('/login');
    await this.fill({ Email: `${username}@example.com`, Password: password });
    await this.tab.press('button', 'Log In');
    await this.tab.sees('button', 'Logout');
  }

  /** Puts the focus into the text of the editor, which is in a shadow tree. */
  async focusOnText(): Promise<void> {
    await this.until(() => {
      const text = document.querySelector('.text-surface')?.shadowRoot?.querySelector('.cm-content');
      if (text instanceof HTMLElement) text.focus();
      return text !== undefined && text !== null;
    });
  }

  /** Resolves once these words are in the text of the editor. */
  async writes(words: string): Promise<void> {
    await this.until(wanted => {
      const text = document.querySelector('.text-surface')?.shadowRoot?.querySelector('.cm-content');
      return text?.textContent?.includes(wanted);
    }, words);
  }
}

function callOf<Args extends (string | number)[]>(script: (...args: Args) => unknown, args: Args): string {
  return `(${script})(${args.map(arg => JSON.stringify(arg)).join(', ')})`;
}

function focusOnField(label: string): boolean {
  const labels = [...document.querySelectorAll('label')];
  const field = labels.find(({ innerText }) => innerText.trim() === label)?.control;
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
    field.focus();
    field.select();
  }
  return document.activeElement === field;
}

/** What an element of this role is in HTML. */
const elements: Record<string, string> = {
  button: 'button, [role=button]',
  dialog: 'dialog[open], [role=dialog]',
  link: 'a[href], [role=link]',
};

/** An expression for the shown elements that could have this role and this name. */
export function likely(role: string, name: string): string {
  return callOf(
    (selector, wanted) =>
      [...document.querySelectorAll(selector)].filter(
        element => element.checkVisibility() && wanted === (element.ariaLabel ?? element.textContent).trim(),
      ),
    [elements[role] ?? `[role=${role}]`, name],
  );
}
