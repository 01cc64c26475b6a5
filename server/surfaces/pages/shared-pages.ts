import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Call } from '../../../contract/operations.ts';
import { cacheBytes } from '../../db/changes/cache-bytes.ts';
import { type Asked, ReaderAnswers, type Value } from './marks.ts';
import type { Template } from './template.ts';

/** A page that has been rendered, but for what is one reader's. */
export type SharedPage = { status: number; policy: string; template: Template };
/** A page, and what stands in the places of its marks for the reader who asked. */
export type FilledPage = SharedPage & { values: readonly Value[] };

const mostAddresses = 5_000;

/**
 * Pages that have been rendered, for whoever is answered the same. A page is made from its address and from the answers of
 * the operations that it asks, and from nothing else: so each reader's own answers are asked for, and where they are
 * those of an earlier page, but for the marked fields, that page is this reader's, too. Nothing here knows who may read what
 * or has to be dropped.
 */
export class SharedPages {
  /** What a page at an address asked for, in the order in which it did. */
  readonly #asked = new LRUCache<string, readonly Asked[]>({ max: mostAddresses });
  readonly #pages = new LRUCache<string, SharedPage>({
    maxSize: cacheBytes('renderedPages'),
    sizeCalculation: ({ template }, key) => Math.ceil(template.size) + 2 * key.length,
  });

  /** The page at an address for whoever `call` speaks for, rendered by `make` where there is none like it. */
  async page<Other>(
    address: string,
    call: Call,
    make: (call: Call) => Promise<SharedPage | Other>,
  ): Promise<FilledPage | Other> {
    if (isForOneReader(address)) {
      const page = await make(call);
      return isPage(page) ? { ...page, values: [] } : page;
    }
    return (await this.#known(address, call)) ?? (await this.#made(address, call, make));
  }

  async #known(address: string, call: Call): Promise<FilledPage | undefined> {
    const asked = this.#asked.get(address);
    if (asked === undefined) return undefined;
    const answers = new ReaderAnswers(call);
    try {
      await Promise.all(asked.map(({ name, input }) => answers.ask(name, input)));
    } catch {
      // Rendering asks again and says it as the page does.
      return undefined;
    }
    const page = this.#pages.get(keyOf(address, answers));
    return page && { ...page, values: answers.values };
  }

  async #made<Other>(
    address: string,
    call: Call,
    make: (call: Call) => Promise<SharedPage | Other>,
  ): Promise<FilledPage | Other> {
    const answers = new ReaderAnswers(call);
    const page = await make(answers.call);
    if (!isPage(page)) return page;
    // Only the screens of posts show nothing of their reader but as it stands in the answers.
    const isOfPosts = answers.asked.some(({ name }) => name === 'getPosts' || name === 'getPost');
    // What is asked with a query is asked seldom, and anybody could make up more of them than there is room for.
    if (answers.shared !== undefined && isOfPosts && !address.includes('?')) {
      this.#asked.set(address, answers.asked);
      this.#pages.set(keyOf(address, answers), page);
    }
    return { ...page, values: answers.values };
  }
}

/**
 * Pages for those who write and administer compare the reader with what they are shown, such as with the author of a post: a
 * mark in place of the reader's id is equal to nothing.
 */
function isForOneReader(address: string): boolean {
  return address.startsWith('/admin');
}

function isPage(page: unknown): page is SharedPage {
  return typeof page === 'object' && page !== null && 'template' in page;
}

/** The answers are as large as the page, so what stands for them is their digest. */
function keyOf(address: string, { shared = '' }: ReaderAnswers): string {
  return `${address}\n${hash('sha256', shared, 'base64url')}`;
}
