import type { Context } from 'hono';
import type { SiteSettings } from '../../contract/site-settings.ts';
import type { Deps } from '../deps.ts';
import { answerError } from '../http/errors.ts';
import type { RequestVariables } from '../http/request.ts';
import { effective } from '../settings/site-settings.ts';
import { callFailure } from './callable/callable.ts';
import { pageFailure } from './pages/document.ts';
import { commonAssets, lookOf, type Web } from './pages/web.ts';
import { storageFailure } from './storage/answers.ts';

/**
 * The answer to a failed request in the form that its sender understands: that of the storage protocol, a
 * page for a person at a browser, otherwise that of the callable protocol. A process without pages has no
 * styles for them either.
 */
export function answerFailures(deps: Pick<Deps, 'settings' | 'config'>, web?: Web) {
  return async (error: unknown, c: Context<RequestVariables>): Promise<Response> => {
    if (c.req.path.startsWith('/v0/')) return storageFailure(error, c.var.log);
    const answer = answerError(error, c.var.log);
    if (!isNavigation(c)) return callFailure(c, answer);
    const settings = await knownSettings(deps);
    const { isSecure } = deps.config;
    const assets = await commonAssets(web, lookOf(settings));
    return await pageFailure(answer, { siteTitle: settings.title, isSecure }, assets);
  };
}

/** The settings; only those of the environment if the database is unavailable. */
async function knownSettings({ settings, config }: Pick<Deps, 'settings' | 'config'>): Promise<SiteSettings> {
  return await settings().catch(() => effective({ values: {} }, config));
}

/** Whether a browser opens an address or sends a form, so that a person sees the answer. */
function isNavigation(c: Context): boolean {
  if (c.req.path.startsWith('/api/')) return false;
  const mode = c.req.header('sec-fetch-mode');
  return mode === undefined ? (c.req.header('accept') ?? '').includes('text/html') : mode === 'navigate';
}
