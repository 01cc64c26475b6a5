import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A mistake made on purpose: in a file of the sources, one text instead of another that stands there once. */
export type Mistake = { file: string; find: string; put: string };

/**
 * Loaded before the tester (`node --import`): puts the mistake that MISTAKE holds as JSON into the module that it belongs to,
 * as that is loaded. The sources stay as they are, so that several can be looked for at a time.
 */
const { file, find, put }: Mistake = JSON.parse(process.env.MISTAKE ?? '');
const target = pathToFileURL(join(import.meta.dirname, '../..', file)).href;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (url !== target) return loaded;
    return { ...loaded, source: String(loaded.source).replace(find, () => put) };
  },
});
