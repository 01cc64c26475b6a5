import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { buildServer, serverPrograms } from '../../scripts/build-server.ts';

/**
 * Programs of the tests: the whole server without pages, one on a site that is there, and an import that can
 * be killed.
 */
const testPrograms = {
  'test-server': 'test/processes/server.ts',
  'test-beside': 'test/processes/beside.ts',
  'test-import': 'test/processes/import.ts',
};

/**
 * Builds the programs that tests start as processes: from the sources each start takes four times as long.
 * `folder` has `main.js` and the others, and `pages.js` (../built-pages.ts).
 */
export async function buildPrograms(): Promise<{ folder: string; remove(): Promise<void> }> {
  // Within the checkout, where they find their packages of machine code.
  const parent = join(import.meta.dirname, '../../.cache');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'programs-'));
  await buildServer({ ...serverPrograms, ...testPrograms }, folder);
  await buildPages(folder);
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The pages as the server renders them in production: React's development build takes longer. */
async function buildPages(outDir: string): Promise<void> {
  await build({
    // Not of directives in packages, which mean nothing here.
    logLevel: 'error',
    configFile: false,
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    ssr: { noExternal: true },
    build: {
      ssr: true,
      rolldownOptions: {
        input: { pages: 'web/entry-server.tsx' },
        output: { entryFileNames: '[name].js', chunkFileNames: 'page-[name]-[hash].js' },
      },
      outDir,
      emptyOutDir: false,
      target: 'node24',
      minify: false,
    },
  });
}
