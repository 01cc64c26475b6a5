import { unlessRefused } from '../../access/posts.ts';
import { type CredentialKey, type Holder, visitor } from '../../access/viewer.ts';
import { viewerOfCredential } from '../../accounts/sessions/session-viewers.ts';
import type { Deps } from '../../deps.ts';
import { readDownloadToken } from '../../files/download-token.ts';
import { getFile, notFound } from '../../files/read.ts';
import { answerMedia, type OpenedFile } from '../media.ts';
import { type RequestContext, withBearer } from './request.ts';

/**
 * A file can also be opened with the token in its download address, which has the rights of its recipient.
 * Pages of other origins may show such a file.
 */
export async function answerByAddress(c: RequestContext, deps: Deps, path: string) {
  // The token is checked only once: it may expire while the bytes are being sent.
  const token = c.req.query('token') ?? '';
  const claim = readDownloadToken({ secret: deps.secret, now: deps.clock() }, token);
  const openByToken = async (): Promise<OpenedFile | undefined> => {
    if (claim === undefined) return undefined;
    const holder = await holderOf(deps, claim.credential);
    if (holder === undefined) return undefined;
    // If the token's recipient has lost the right, the sender of the request may still have it.
    const found = await unlessRefused(getFile(deps, holder.viewer, { id: claim.fileId }));
    return found?.file.path === path ? { found, who: holder } : undefined;
  };
  if ((await openByToken()) !== undefined) {
    c.header('cross-origin-resource-policy', 'cross-origin');
    return await answerMedia(c, deps, async () => {
      const opened = await openByToken();
      if (opened === undefined) throw notFound();
      return opened;
    });
  }
  const { requestIdentity } = c.var;
  return await answerMedia(c, deps, async () => {
    const who = await requestIdentity.identify(withBearer(requestIdentity.credentials));
    return { found: await getFile(deps, who.viewer, { path }), who };
  });
}

async function holderOf(deps: Deps, credential: CredentialKey | null): Promise<Holder | undefined> {
  const { defaultTagIds } = await deps.catalogue();
  const viewer =
    credential === null ? visitor(defaultTagIds) : await viewerOfCredential(deps, credential, defaultTagIds);
  return viewer && { viewer, credential };
}
