import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A mistake made on purpose: in a file of the sources, one text instead of another that stands there once. */
export type Mistake = { file: string; find: string; put: string };

const root = pathToFileURL(join(import.meta.dirname, '../..')).href;
const mark = /\?planting=\d+$/;

/**
 * Loads sources of this repository again, with a mistake in one of them. The sources on the disk stay as they are. Only
 * modules that lead to the mistake are loaded anew; the others are those that were loaded before, so that many mistakes take
 * one process.
 */
export class Planter {
  /** By whom each module was imported, as addresses. */
  readonly #importers = new Map<string, Set<string>>();
  #mistake: Mistake | undefined;
  #isAnew: ReadonlySet<string> = new Set();
  #count = 0;

  constructor() {
    registerHooks({
      resolve: (specifier, context, nextResolve) => {
        const resolved = nextResolve(specifier, context);
        if (!resolved.url.startsWith(root) || resolved.url.includes('/node_modules/')) return resolved;
        const url = resolved.url.replace(mark, '');
        const importer = context.parentURL?.replace(mark, '');
        if (importer !== undefined) {
          this.#importers.set(url, (this.#importers.get(url) ?? new Set()).add(importer));
        }
        return this.#isAnew.has(url) ? { ...resolved, url: `${url}?planting=${this.#count}` } : resolved;
      },
      load: (url, context, nextLoad) => {
        const loaded = nextLoad(url, context);
        if (this.#mistake === undefined || url.replace(mark, '') !== addressOf(this.#mistake)) return loaded;
        const { find, put } = this.#mistake;
        return { ...loaded, source: String(loaded.source).replace(find, () => put) };
      },
    });
  }

  /** From now on, what is imported has this mistake, or none. What was imported before has none, or its own. */
  plant(mistake: Mistake | undefined): void {
    this.#mistake = mistake;
    this.#count += 1;
    const isAnew = new Set(mistake && [addressOf(mistake)]);
    // A set hands out what is added while it is walked.
    for (const url of isAnew) for (const importer of this.#importers.get(url) ?? []) isAnew.add(importer);
    this.#isAnew = isAnew;
  }
}

const addressOf = ({ file }: Mistake) => `${root}/${file}`;
