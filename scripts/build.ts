import { copyFile, glob, readFile, rm, writeFile } from 'node:fs/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { buildServer, serverPrograms } from './build-server.ts';

/**
 * Builds dist/: the web app for the browser and for rendering, and the server with everything that it needs,
 * so that an installation is the program and a few native packages.
 */
process.env.NODE_ENV = 'production';
await rm('dist', { recursive: true, force: true });
const logLevel = 'warn';

await build({ logLevel });
await build({ logLevel, build: { ssr: 'web/entry-server.tsx' } });
await buildServer(serverPrograms, 'dist/server');
// It asks to be handed on with the program (docs/decisions/0007).
await copyFile('node_modules/libheif-js/libheif-wasm/LICENSE', 'dist/server/LICENSE-libheif.txt');

for await (const path of glob('dist/web/client/**/*.{js,css,svg}')) {
  const bytes = await readFile(path);
  // With its best quality, which is the default.
  await writeFile(`${path}.br`, brotliCompressSync(bytes));
  await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
