import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Mistake, withMistake } from './mistake.ts';

const root = pathToFileURL(join(import.meta.dirname, '../..')).href;
const mark = /\?planting=\d+$/;

/**
 * Loads sources of this repository again, with a mistake in one of them. The files on the disk do not change.
 * Only modules that import the mistake, directly or not, are loaded again; the others stay loaded, so that
 * one process can try many mistakes.
 */
export class Planter {
  /** The addresses of the modules that import each module. */
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
        return { ...loaded, source: withMistake(String(loaded.source), this.#mistake) };
      },
    });
  }

  /** From now on, imports have this mistake, or none. What was imported before does not change. */
  plant(mistake: Mistake | undefined): void {
    this.#mistake = mistake;
    this.#count += 1;
    const isAnew = new Set(mistake && [addressOf(mistake)]);
    // The loop also visits what is added to the set meanwhile.
    for (const url of isAnew) for (const importer of this.#importers.get(url) ?? []) isAnew.add(importer);
    this.#isAnew = isAnew;
  }
}

const addressOf = ({ file }: Mistake) => `${root}/${file}`;
