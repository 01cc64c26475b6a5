import type { Hono } from 'hono';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { unsubscriber } from '../mail/links.ts';

/**
 * `POST /unsubscribe?token=`: what a mail program sends when its reader presses "Unsubscribe" (RFC 8058), and
 * what the page at the same address sends. The signed token is all that is needed; GET only shows the page.
 */
export function unsubscribeSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/unsubscribe', async c => {
    c.header('cache-control', 'no-store');
    const userId = unsubscriber(deps, c.req.query('token') ?? '');
    await deps.db.deleteFrom('subscriptions').where('user_id', '=', userId).execute();
    // RFC 8058: a mail program gets a direct answer without a redirect; a browser is shown the page.
    const isBrowser = c.req.header('sec-fetch-mode') === 'navigate';
    return isBrowser ? c.redirect('/unsubscribe?done=1', 303) : c.text('You are unsubscribed.\n');
  });
}
