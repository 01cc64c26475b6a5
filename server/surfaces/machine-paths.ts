import type { Hono } from 'hono';
import { dayMs } from '../base/clock.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import type { Web } from './pages/web.ts';

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

/**
 * 404 for paths that machines try on every site, such as `/wp-login.php` and `/.env`: a redirect to the
 * timeline, which readers get for an unknown path (specification section 2), would look like a hit to them.
 * It comes after the old addresses of imported posts.
 */
export function machinePathsSurface(app: Hono<RequestVariables>, web: Pick<Web, 'queryOf'>): void {
  app.get('*', async (c, next) => {
    const { pathname } = new URL(c.req.url);
    if (web.queryOf(pathname) !== undefined || !isForMachines(pathname)) return await next();
    return c.text('Not found\n', 404);
  });
}

/**
 * Folders of other software, and files, hidden ones too, one without a dot. An address of another blog may
 * end in `.html`.
 */
const namesForMachines =
  /^\.|^(?:wp-|wordpress$|cgi-bin$|phpmyadmin$|vendor$|node_modules$|apple-app-site-association$)/i;
const fileForMachines = /.\.(?!html?$)[a-z\d]{1,12}~?$/i;

function isForMachines(pathname: string): boolean {
  const segments = pathname.split('/');
  return fileForMachines.test(segments.at(-1) ?? '') || segments.some(name => namesForMachines.test(name));
}
