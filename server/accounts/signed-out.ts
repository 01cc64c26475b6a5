import { describeViewer, visitor } from '../access/viewer.ts';
import type { Invocation } from '../deps.ts';

/**
 * Whom the answer to signing out names: a visitor. The browser drops what it has cached of the site, files of closed posts above
 * all (W3C Clear Site Data). Its storage stays: other people who use it have their unsaved texts there, too, and the app
 * offers to delete one's own.
 */
export async function describeSignedOut({
  catalogue,
  replyHeaders,
}: Pick<Invocation, 'catalogue' | 'replyHeaders'>) {
  replyHeaders.set('clear-site-data', '"cache"');
  return describeViewer(visitor((await catalogue()).defaultTagIds));
}
