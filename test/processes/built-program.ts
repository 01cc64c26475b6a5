import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/** In place of server/base/program.ts: the built programs of the server (vitest.config.ts). */
export function programBeside(_from: string, name: string): URL {
  return pathToFileURL(join(inject('programs'), `${name}.js`));
}
