import type { Hono } from 'hono';
import { dayMs } from '../base/clock.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';

/** How long `security.txt` is valid: RFC 9116 recommends less than a year. */
const securityDays = 180;

/**
 * Addresses that programs try on every site: where to change a password, and whom to tell about a
 * vulnerability.
 */
export function wellKnownSurface(
  app: Hono<RequestVariables>,
  { changes, config, clock, settings }: Pick<Deps, 'changes' | 'config' | 'clock' | 'settings'>,
): void {
  app.get('/.well-known/change-password', c => c.redirect('/account', 302));
  app.get('/.well-known/security.txt', async c => {
    const { publicUrl } = config;
    await changes.caughtUp();
    const { securityContact } = await settings();
    if (securityContact === '') return c.text('Not found\n', 404);
    const expires = new Date((Math.floor(clock() / dayMs) + securityDays) * dayMs).toISOString();
    c.header('cache-control', 'public, max-age=3600');
    return c.text(
      `Contact: ${securityContact}\nExpires: ${expires}\nCanonical: ${publicUrl}/.well-known/security.txt\n`,
    );
  });
}
