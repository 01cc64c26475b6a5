import { glob, readFile, rm, writeFile } from 'node:fs/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { buildServer, serverPrograms } from './build-server.ts';

/**
 * Builds dist/: the web app for the browser and for rendering, and the server with all it needs inside, so that what is
 * installed is the program and its few native packages.
 */
process.env.NODE_ENV = 'production';
await rm('dist', { recursive: true, force: true });
const logLevel = 'warn';

await build({ logLevel });
await build({ logLevel, build: { ssr: 'web/entry-server.tsx' } });
await buildServer(serverPrograms, 'dist/server');

for await (const path of glob('dist/web/client/**/*.{js,css,svg}')) {
  const bytes = await readFile(path);
  await writeFile(
    `${path}.br`,
    // The second is measured: the short distances of minified scripts take a little less.
    brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_NDIRECT]: 2 },
    }),
  );
  await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
