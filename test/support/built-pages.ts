import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import type { Web } from '../../server/surfaces/pages/web.ts';
import { sourcePages } from './site.ts';

/**
 * The pages as production renders them, for tests that ask for thousands. Others ask React's development
 * build, which warns.
 */
export async function builtPages(): Promise<Web> {
  const pages: unknown = await import(pathToFileURL(join(inject('programs'), 'pages.js')).href);
  const { render, queryOf } = pages as Pick<Web, 'render' | 'queryOf'>;
  return { ...sourcePages, render, queryOf };
}
