import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../../contract/errors.ts';
import { askServer, bounded, isPublic } from '../../../base/outgoing.ts';
import { decoded } from '../decoded.ts';
import type { DraftFile, Source } from '../draft.ts';

type Options = {
  /** Hosts that pictures may be fetched from, with any unusual port. */
  hosts: readonly string[];
  /** The most bytes of one file. */
  maxBytes: number;
  /** Whether a network address may be connected to. */
  isAllowed?: (address: string) => boolean;
};

const maxRedirects = 3;
/** How long a server may be silent, and how long one file may take, in milliseconds. */
const idleMs = 30_000;
const wholeMs = 10 * 60_000;

/**
 * The same source, which also fetches missing pictures from these hosts only. Its texts may name any address:
 * a host is connected to only if its name leads to the public Internet, and so is each host that it redirects
 * to. Throws invalid-argument for an invalid host name.
 */
export function fetchingMedia(source: Source, options: Options): Source {
  const media = new RemoteMedia(options);
  return {
    ...source,
    items: async function* () {
      for await (const item of source.items()) {
        if (item.kind !== 'post') yield item;
        else {
          yield {
            ...item,
            isOwnAddress: address => item.isOwnAddress(address) || media.names(address),
            findFile: async (address, isLink) => {
              const found = await item.findFile(address, isLink);
              const isHeld = found !== undefined && !('problem' in found);
              return isHeld || isLink || !media.names(address) ? found : await media.fetch(address);
            },
          };
        }
      }
    },
    close: async () => {
      await media.close();
      await source.close?.();
    },
  };
}

class RemoteMedia {
  readonly #hosts: ReadonlySet<string>;
  readonly #maxBytes: number;
  readonly #isAllowed: (address: string) => boolean;
  /** A promise, because several files are fetched at once, and share one folder. */
  #folder: Promise<string> | undefined;

  constructor({ hosts, maxBytes, isAllowed = isPublic }: Options) {
    this.#hosts = new Set(hosts.map(hostOf));
    this.#maxBytes = maxBytes;
    this.#isAllowed = isAllowed;
  }

  names(address: string): boolean {
    const url = URL.parse(address.startsWith('//') ? `https:${address}` : address);
    return url !== null && /^https?:$/.test(url.protocol) && this.#hosts.has(url.host);
  }

  async fetch(address: string): Promise<DraftFile | { problem: string }> {
    try {
      const url = new URL(address.startsWith('//') ? `https:${address}` : address);
      const path = await this.#download(url, maxRedirects);
      const { size } = await stat(path);
      return {
        name: basename(decoded(url.pathname)),
        size,
        read: () => createReadStream(path),
        discard: () => rm(path, { force: true }),
      };
    } catch (error) {
      return { problem: `could not be fetched: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  async close(): Promise<void> {
    // If it could not be made, each file reports why.
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  /** Returns the path of a file that is deleted with this object. */
  async #download(url: URL, redirectsLeft: number): Promise<string> {
    const response = await this.#ask(url);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      const next = new URL(headers.location, url);
      if (redirectsLeft === 0) throw new Error('it is redirected too often');
      if (!this.names(next.href)) throw new Error(`it is redirected to ${next.host}, which is not allowed`);
      return await this.#download(next, redirectsLeft - 1);
    }
    if (statusCode !== 200) {
      response.destroy();
      throw new Error(`the server answered ${statusCode}`);
    }
    this.#folder ??= mkdtemp(join(tmpdir(), 'coterie-media-'));
    const path = join(await this.#folder, randomUUID());
    try {
      await pipeline(response, bounded(this.#maxBytes), createWriteStream(path, { mode: 0o600 }));
      return path;
    } catch (error) {
      // Many oversized files would fill the disk.
      await rm(path, { force: true });
      throw error;
    }
  }

  async #ask(url: URL): Promise<IncomingMessage> {
    return await askServer(url, {
      accept: 'image/*,video/*,audio/*,application/pdf',
      agent: 'Coterie import',
      idleMs,
      wholeMs,
      isAllowed: this.#isAllowed,
    });
  }
}

function hostOf(written: string): string {
  const url = URL.parse(/^https?:\/\//i.test(written) ? written : `https://${written}`);
  if (url === null || url.hostname === '')
    throw new AppError('invalid-argument', `${written} is no name of a host.`);
  return url.host;
}
