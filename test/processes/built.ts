import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the programs that tests start, built. */
    programs: string;
  }
}

/** The built program of the command line, which tests start as a process. */
export const program = join(inject('programs'), 'main.js');

/**
 * Programs keep their compiled code here, as bin/coterie.js does: compiling takes them a quarter of their
 * start.
 */
export const compiled = { NODE_COMPILE_CACHE: join(inject('programs'), 'compiled') };

/** The environment of a program that is to know nothing of this process's settings. */
export const environment = { ...compiled, PATH: process.env.PATH };
