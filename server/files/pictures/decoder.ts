import { createRequire } from 'node:module';
import type { Sharp, SharpOptions } from 'sharp';
import { ConfigError } from '../../base/config-error.ts';

/**
 * The most pixels of a picture or a frame: enough for phones of the next ten years, and no decompression
 * bomb.
 */
export const maxPixels = 120_000_000;

/** `options`: the format of the bytes, if they do not tell it themselves. */
type Decoder = (bytes: Buffer, options?: Pick<SharpOptions, 'raw'>) => Sharp;
let loaded: Promise<Decoder> | undefined;

/**
 * Loaded for the first picture: it takes 60 ms and 28 MB, and most runs of the program decode none. Throws
 * ConfigError if it cannot run on this machine.
 */
export function decoder(): Promise<Decoder> {
  loaded ??= loadDecoder();
  return loaded;
}

async function loadDecoder(): Promise<Decoder> {
  const { default: sharp } = await import('sharp').catch((error: unknown) => {
    throw new ConfigError(hasProgram() ? `Pictures cannot be read: ${firstLine(error)}` : missingProgram());
  });
  // One thread, for less memory: reading and encoding, which take most of the time, have no more.
  sharp.concurrency(1);
  sharp.cache(false);
  return (bytes, options) => sharp(bytes, { ...options, limitInputPixels: maxPixels, failOn: 'error' });
}

/**
 * Throws ConfigError if pictures cannot be decoded. Loads the decoder only if its binary has none of the
 * usual names, as after a build from source.
 */
export async function requireDecoder(): Promise<void> {
  if (!hasProgram()) await decoder();
}

const machine = `${process.platform}-${process.arch}`;

/**
 * sharp is JavaScript; its machine code is in an optional package, of which npm installs the matching one.
 */
function hasProgram(): boolean {
  const here = createRequire(import.meta.url);
  const sharp = resolved(here, 'sharp');
  if (sharp === undefined) return false;
  const besideSharp = createRequire(sharp);
  return [machine, `linuxmusl-${process.arch}`].some(
    name => resolved(besideSharp, `@img/sharp-${name}/sharp.node`) !== undefined,
  );
}

function resolved(from: NodeJS.Require, name: string): string | undefined {
  try {
    return from.resolve(name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function missingProgram(): string {
  return (
    `Pictures cannot be read: the package @img/sharp-${machine} is missing. npm leaves it out under Node.js 18. ` +
    'Install Coterie with a newer one: "npx -p node@24 -p npm@11 npm install ./coterie-*.tgz", ' +
    'or "npm ci" in a checkout.'
  );
}

function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? '';
}
