import { execFile } from 'node:child_process';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const machine = `${process.platform}-${process.arch}`;
const { at, write } = temporaryFolder();

/** As the start of the server, and the first picture of an import. */
const program = `
  import { decoder, requireDecoder } from './server/files/pictures/decoder.ts';
  for (const ask of [requireDecoder, decoder]) await ask().then(
    () => console.log('can read pictures'),
    error => console.log(error.name + ': ' + error.message),
  );
`;

beforeEach(async () => {
  for (const name of ['server/files/pictures/decoder.ts', 'server/base/config-error.ts'])
    await cp(join(root, name), at(name));
  for (const name of ['sharp', 'detect-libc', 'semver', '@img/colour'])
    await cp(join(root, 'node_modules', name), at('node_modules', name), { recursive: true });
  await write({ 'package.json': '{ "type": "module" }', 'main.ts': program });
});

async function run(): Promise<string[]> {
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, [at('main.ts')], (error, out) =>
      error === null ? resolve(out.trim().split('\n')) : reject(error),
    );
  });
}

it("without sharp's program for this machine the start says what to do, and so does the first picture", async () => {
  const sentence =
    `ConfigError: Pictures cannot be read: the package @img/sharp-${machine} is missing. ` +
    'npm leaves it out under Node.js 18. Install Coterie with a newer one: ' +
    '"npx -p node@24 -p npm@11 npm install ./coterie-*.tgz", or "npm ci" in a checkout.';
  expect(await run()).toEqual([sentence, sentence]);
});

it("pictures can be read with sharp's program", async () => {
  await symlink(
    join(root, 'node_modules/@img', `sharp-${machine}`),
    at('node_modules/@img', `sharp-${machine}`),
  );
  expect(await run()).toEqual(['can read pictures', 'can read pictures']);
});

it("a program of sharp that cannot be loaded does not stop the start, and is not called a picture's fault", async () => {
  await write({
    [`node_modules/@img/sharp-${machine}/package.json`]: '{ "exports": { "./sharp.node": "./index.cjs" } }',
    [`node_modules/@img/sharp-${machine}/index.cjs`]: 'throw new Error("libvips is too old");',
  });
  expect(await run()).toEqual([
    'can read pictures',
    `ConfigError: Pictures cannot be read: Could not load the "sharp" module using the ${machine} runtime`,
  ]);
});
