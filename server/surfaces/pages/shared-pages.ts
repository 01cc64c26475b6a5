import { LRUCache } from 'lru-cache';
import type { Call } from '../../../contract/operations.ts';
import { cacheBytes } from '../../db/changes/cache-bytes.ts';
import type { Value } from '../../shared-answer.ts';
import { type Ask, type Asked, ReaderAnswers } from './marks.ts';
import type { Template } from './template.ts';

/** A rendered page, with marks in the places of values that differ between readers. */
export type SharedPage = { status: number; policy: string; template: Template };
/** A page, and the values of its marks for one reader. */
export type FilledPage = SharedPage & { values: readonly Value[] };

const mostAddresses = 5_000;
/**
 * The addresses of the screens of posts. All others are rendered for one reader, in whatever spelling: few of them are the same
 * for two, and a form may do more with the reader's own values than show them, which a mark in their place would break.
 */
const ofPosts = /^\/(?:$|\?|(?:post|tags)\/)/;

/**
 * Rendered pages, shared by readers who get the same answers. A page depends only on its address and on the answers of
 * the operations that it calls. So each reader's own answers are fetched; if they equal those of an earlier page, but
 * for the marked fields, that page is used. This class knows no access rights, and nothing in it has to be invalidated.
 */
export class SharedPages {
  /**
   * The operations that the page at an address called, in order. Counted as sizes: with `max` all the room would be made at the
   * start of each site.
   */
  readonly #asked = new LRUCache<string, readonly Asked[]>({
    maxSize: mostAddresses,
    sizeCalculation: () => 1,
  });
  readonly #pages = new LRUCache<string, SharedPage>({
    maxSize: cacheBytes('renderedPages'),
    sizeCalculation: ({ template }, key) => Math.ceil(template.size) + 2 * key.length,
  });

  /** The page at an address for the viewer who calls and asks; `make` renders it if there is no equal one. */
  async page<Other>(
    address: string,
    { call, ask }: { call: Call; ask: Ask },
    make: (call: Call) => Promise<SharedPage | Other>,
  ): Promise<FilledPage | Other> {
    if (!ofPosts.test(address)) {
      const page = await make(call);
      return isPage(page) ? { ...page, values: [] } : page;
    }
    return (await this.#known(address, ask)) ?? (await this.#made(address, ask, make));
  }

  async #known(address: string, ask: Ask): Promise<FilledPage | undefined> {
    const asked = this.#asked.get(address);
    if (asked === undefined) return undefined;
    const answers = new ReaderAnswers(ask);
    try {
      await Promise.all(asked.map(({ name, input }) => answers.ask(name, input)));
    } catch {
      // Rendering calls the operation again, and the page shows the error.
      return undefined;
    }
    const page = this.#pages.get(keyOf(address, answers));
    return page && { ...page, values: answers.values };
  }

  async #made<Other>(
    address: string,
    ask: Ask,
    make: (call: Call) => Promise<SharedPage | Other>,
  ): Promise<FilledPage | Other> {
    const answers = new ReaderAnswers(ask);
    const page = await make(answers.call);
    if (!isPage(page)) return page;
    // Only the screens of posts show their reader's data exactly as in the answers.
    const isOfPosts = answers.asked.some(({ name }) => name === 'getPosts' || name === 'getPost');
    // Addresses with a query are rarely requested, and anybody could make up more of them than fit here.
    if (answers.shared !== undefined && isOfPosts && !address.includes('?')) {
      this.#asked.set(address, answers.asked);
      this.#pages.set(keyOf(address, answers), page);
    }
    return { ...page, values: answers.values };
  }
}

function isPage(page: unknown): page is SharedPage {
  return typeof page === 'object' && page !== null && 'template' in page;
}

function keyOf(address: string, { shared = '' }: ReaderAnswers): string {
  return `${address}\n${shared}`;
}
