import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { Hono } from 'hono';
import { ZipFile } from 'yazl';
import { Id } from '../../contract/values.ts';
import { getCounts } from '../access/posts.ts';
import type { Deps } from '../deps.ts';
import { getFile, notFound } from '../files/read.ts';
import { type Chunks, copies } from '../files/store/store.ts';
import type { RequestVariables } from '../http/request.ts';
import { type PostPicture, picturesOfPost } from '../posts/pictures.ts';
import { watchRight } from './right-watch.ts';
import { sendBytes, startReading } from './send-bytes.ts';

/**
 * `GET /post/{id}/pictures.zip`: the pictures of a post in its order, for those who may read it. The right is
 * checked again before each picture, and watched while they are being sent.
 */
export function picturesZipSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.get('/post/:id/pictures.zip', async c => {
    const { data: id } = Id.safeParse(c.req.param('id'));
    if (id === undefined) throw notFound();
    const { requestIdentity } = c.var;
    const who = await requestIdentity.identify();
    await deps.limits.count(who.viewer, requestIdentity.network);
    const post = await picturesOfPost(deps, who.viewer, id);
    /** The reader as they are now, who may still read the post. */
    const ask = async () => {
      const { viewer } = await requestIdentity.identify();
      await getCounts(deps, viewer, id);
      return viewer;
    };
    if (post.pictures.length === 0) throw notFound();
    const open = async ({ id: fileId }: PostPicture): Promise<Chunks> => {
      await getFile(deps, await ask(), { id: fileId });
      return deps.files.read(fileId);
    };
    const headers = {
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-type': 'application/zip',
      'content-disposition': contentDisposition(
        `${wordsFor((post.title ?? 'pictures').slice(0, nameUnits))}.zip`,
      ),
    };
    c.header('vary', 'Cookie, Authorization', { append: true });
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    const { size, bytes } = await zipOf(post.pictures, new Date(post.publishedAt ?? deps.clock()), open);
    const started = await startReading(bytes, size, {
      begin: cut => deps.downloads.begin(requestIdentity.network, cut),
      watch: cut => watchRight(deps.changes, who, ask, cut),
    });
    return await sendBytes(c, started, 200, { ...headers, 'content-length': String(size) });
  });
}

/** A zip knows no earlier date, and the package yazl ends the process for one before 1970. */
const firstDate = Date.UTC(1980, 0, 1);

const nameUnits = 100;

/**
 * A zip whose entries are read one after another, each once `open` has allowed it. None is opened before the
 * bytes are requested: nobody would close it.
 */
async function zipOf(
  pictures: readonly PostPicture[],
  date: Date,
  open: (picture: PostPicture) => Promise<Chunks>,
): Promise<{ size: number; bytes: AsyncGenerator<Uint8Array> }> {
  const zip = new ZipFile();
  const mtime = new Date(Math.max(date.getTime(), firstDate));
  const output = zip.outputStream;
  if (!(output instanceof Readable)) throw new TypeError('The package yazl gives no stream of Node.');
  // Errors reach the reader; before there is one nobody listens.
  output.on('error', () => {});
  let entry: Readable | undefined;
  zip.on('error', (error: Error) => output.destroy(error));
  const begun = Promise.withResolvers<void>();
  const digits = String(pictures.length).length;
  for (const [index, picture] of pictures.entries()) {
    const name = `${String(index + 1).padStart(digits, '0')} ${wordsFor(picture.name.slice(-nameUnits))}`;
    // Pictures are compressed already, so the length of the zip is known in advance.
    const options = { size: picture.size, compress: false, mtime };
    zip.addReadStreamLazy(name, options, give => {
      begun.promise
        .then(() => open(picture))
        .then(
          chunks => {
            if (output.destroyed) return;
            entry = Readable.from(copies(chunks), { objectMode: false });
            // The package leaves this to its caller.
            entry.on('error', error => output.destroy(error));
            give(null, entry);
          },
          (error: Error) => output.destroy(error),
        );
    });
  }
  const { promise: size, resolve } = Promise.withResolvers<number>();
  // The types of the package omit that it receives the length.
  const tell: (total?: number) => void = total => resolve(total ?? -1);
  zip.end(undefined, tell);
  const bytes = async function* () {
    try {
      begun.resolve();
      yield* output as AsyncIterable<Uint8Array>;
    } finally {
      output.destroy();
      entry?.destroy();
    }
  };
  return { size: await size, bytes: bytes() };
}

/** A name that every system accepts for a file. A cut name may begin or end with half a surrogate pair. */
function wordsFor(name: string): string {
  const words = name.toWellFormed().replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_');
  return words.trim() || 'picture';
}
