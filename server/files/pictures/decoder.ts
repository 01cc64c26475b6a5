import { createRequire } from 'node:module';
import type { Sharp, SharpOptions } from 'sharp';
import { ConfigError } from '../../base/config-error.ts';

/** Pixels of a picture or a frame: what a phone of ten years from now may take, and no bomb. */
export const maxPixels = 120_000_000;
const decodeSeconds = 60;

/** `options`: what the bytes are, where they do not say so themselves. */
type Decoder = (bytes: Buffer, options?: Pick<SharpOptions, 'raw'>) => Sharp;
let loaded: Promise<Decoder> | undefined;

/**
 * Loaded for the first picture: it takes 60 ms and 28 MB, and most runs of the program see none. Throws
 * ConfigError where it cannot run on this machine.
 */
export function decoder(): Promise<Decoder> {
  loaded ??= loadDecoder();
  return loaded;
}

async function loadDecoder(): Promise<Decoder> {
  const { default: sharp } = await import('sharp').catch((error: unknown) => {
    throw new ConfigError(hasProgram() ? `Pictures cannot be read: ${firstLine(error)}` : missingProgram());
  });
  // Two requests must not wait for the sizes of one picture.
  sharp.concurrency(1);
  sharp.cache(false);
  return (bytes, options) =>
    sharp(bytes, { ...options, limitInputPixels: maxPixels, failOn: 'error' }).timeout({
      seconds: decodeSeconds,
    });
}

/**
 * Throws ConfigError where pictures could not be read. Loads the decoder only where its program has none of
 * the usual names, as after a build from its source.
 */
export async function requireDecoder(): Promise<void> {
  if (!hasProgram()) await decoder();
}

const machine = `${process.platform}-${process.arch}`;

/**
 * sharp is JavaScript; the machine code is in an optional package, of which npm installs the one that fits.
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
