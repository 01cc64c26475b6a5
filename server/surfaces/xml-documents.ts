import type { Context } from 'hono';
import { isAnonymous } from '../access/viewer.ts';
import { shortDigest } from '../base/secrets.ts';
import { Cache, type DependsOn } from '../db/changes/cache.ts';
import type { Deps } from '../deps.ts';
import { caughtUpOrStale } from '../http/answer-cache.ts';
import type { RequestVariables } from '../http/request.ts';
import { isFresh, ownBytes } from '../http/responses.ts';

export type TextDocument = { body: Buffer<ArrayBuffer>; etag: string };

export function documentOf(written: string): TextDocument {
  return { body: ownBytes(Buffer.from(written)), etag: `"${shortDigest(written)}"` };
}

export function sendDocument(
  c: Context,
  { body, etag }: TextDocument,
  type: string,
  caching: string,
): Response {
  c.header('cache-control', caching);
  c.header('vary', 'Cookie, Authorization');
  c.header('etag', etag);
  if (isFresh(c.req.header(), { etag })) return c.body(null, 304);
  return c.body(body, 200, { 'content-type': `${type}; charset=utf-8` });
}

/** Documents of public content for programs: each is written once for all until it changes. */
export class XmlDocuments {
  readonly #deps: Pick<Deps, 'changes' | 'limits'>;
  readonly #cache: Cache<TextDocument>;

  constructor(deps: Pick<Deps, 'changes' | 'limits'>) {
    this.#deps = deps;
    this.#cache = new Cache(deps.changes, { name: 'documents', sizeOf: ({ body }) => body.length });
  }

  /**
   * Answers with the document of this name, which `write` writes; 404 if it returns undefined, or nothing:
   * that is kept, too. A visit counts unless the document is there.
   */
  async answer(
    c: Context<RequestVariables>,
    type: string,
    name: string,
    write: (dependsOn: DependsOn) => Promise<string | undefined>,
  ): Promise<Response> {
    await caughtUpOrStale(this.#deps.changes);
    if (this.#cache.peek(name, { countsHit: false }) === undefined)
      await this.#deps.limits.countVisit(c.var.requestIdentity.network);
    const document = await this.#cache.get(name, async dependsOn => {
      const written = await write(dependsOn);
      return written === undefined ? undefined : documentOf(written);
    });
    if (document === undefined || document.body.length === 0) return c.text('Not found\n', 404);
    // Caches must revalidate it each time, so that no cache still shows a post after its tags have changed.
    const caching = isAnonymous(c.req.raw.headers) ? 'public, no-cache' : 'private, no-cache';
    return sendDocument(c, document, type, caching);
  }
}
