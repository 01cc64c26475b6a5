import type { Hono } from 'hono';
import { unguarded } from '../db/transaction.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { unsubscriber } from '../mail/links.ts';
import { mailWeekly } from '../mail/wishes/digests.ts';
import { wishOfLink } from '../mail/wishes/links.ts';
import { setWish } from '../mail/wishes/wishes.ts';

/**
 * `POST /unsubscribe?token=`: the request of a mail program whose reader presses "Unsubscribe" (RFC 8058),
 * and of the page at the same address. The signed token is sufficient, and says which mails it ends; GET only
 * shows the page. With `instead=weekly`, a subscription to new posts goes on once a week.
 */
export function unsubscribeSurface(app: Hono<RequestVariables>, deps: Deps): void {
  app.post('/unsubscribe', async c => {
    c.header('cache-control', 'no-store');
    const token = c.req.query('token') ?? '';
    const wish = wishOfLink(deps, token);
    let done: string = wish?.kind ?? '1';
    if (wish === undefined) {
      const userId = unsubscriber(deps, token);
      const isWeekly = c.req.query('instead') === 'weekly';
      if (!isWeekly) await deps.db.deleteFrom('subscriptions').where('user_id', '=', userId).execute();
      else if (await mailWeekly(deps.db, deps.clock(), userId)) done = 'weekly';
    } else if (await isThere(deps, wish.userId)) {
      await setWish({ db: deps.db, ...unguarded }, wish.userId, wish.kind, false);
    }
    // RFC 8058: a mail program gets a direct answer without a redirect; a browser is shown the page.
    const isBrowser = c.req.header('sec-fetch-mode') === 'navigate';
    return isBrowser
      ? c.redirect(`/unsubscribe?done=${done}`, 303)
      : c.text(done === 'weekly' ? 'You get new posts once a week.\n' : 'You are unsubscribed.\n');
  });
}

/** The account may have been deleted since the mail was sent. */
async function isThere({ db }: Deps, userId: string): Promise<boolean> {
  const user = await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  return user !== undefined;
}
