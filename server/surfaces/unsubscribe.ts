import type { Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Deps } from '../deps.ts';
import { answerError } from '../http/errors.ts';
import type { RequestVariables } from '../http/request.ts';
import { unsubscriber } from '../mail/links.ts';
import { escapeHtml } from './pages/document.ts';

/**
 * `POST /unsubscribe?token=`: what a mail program sends when its reader presses "Unsubscribe" (RFC 8058), and what the
 * page at the same address sends. The signed token is the whole right; GET only shows the page.
 */
export function unsubscribeSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/unsubscribe', async c => {
    c.header('cache-control', 'no-store');
    try {
      const userId = unsubscriber(deps, c.req.query('token') ?? '');
      await deps.db.deleteFrom('subscriptions').where('user_id', '=', userId).execute();
    } catch (error) {
      const { http, body } = answerError(error, c.var.log);
      const text = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Unsubscribe</title><p>${escapeHtml(body.error.message)}</p>`;
      return c.html(text, http as ContentfulStatusCode);
    }
    // RFC 8058: a mail program is answered at once, without a redirect; a browser is shown the page.
    const isBrowser = c.req.header('sec-fetch-mode') === 'navigate';
    return isBrowser ? c.redirect('/unsubscribe?done=1', 303) : c.text('You are unsubscribed.\n');
  });
}
