import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Sessions } from './accounts/sessions.ts';
import type { Deps } from './deps.ts';
import { AnonymousCache } from './http/anonymous-cache.ts';
import { askers } from './http/asker.ts';
import { allowConfiguredOrigins } from './http/cors.ts';
import { guardWrites } from './http/csrf.ts';
import { onOwnHost } from './http/own-host.ts';
import { type RequestVariables, requestLog } from './http/request.ts';
import type { Listener } from './http/running-requests.ts';
import { securityHeaders } from './http/security-headers.ts';
import { assetsSurface } from './surfaces/assets.ts';
import { answerNoCall, callableSurface } from './surfaces/callable/callable.ts';
import { exportsSurface } from './surfaces/exports.ts';
import { answerFailures } from './surfaces/failures.ts';
import { feedSurface } from './surfaces/feed.ts';
import { filesSurface } from './surfaces/files.ts';
import { formsSurface } from './surfaces/forms.ts';
import { healthSurface } from './surfaces/health.ts';
import { liveSurface } from './surfaces/live.ts';
import { manifestSurface } from './surfaces/manifest.ts';
import { oldAddressesSurface } from './surfaces/old-addresses.ts';
import { openapiSurface } from './surfaces/openapi/openapi.ts';
import { openidSurface } from './surfaces/openid.ts';
import { pagesSurface, visitorPages } from './surfaces/pages/pages.ts';
import { SharedPages } from './surfaces/pages/shared-pages.ts';
import type { Web } from './surfaces/pages/web.ts';
import { answerMembers } from './surfaces/plain-answers.ts';
import { policyReportsSurface } from './surfaces/policy-reports.ts';
import { storageSurface } from './surfaces/storage/storage.ts';
import { unsubscribeSurface } from './surfaces/unsubscribe.ts';

export type App = Hono<RequestVariables>;

/**
 * The application as a listener of a server. The most frequent requests are answered without the layers of the app:
 * those of visitors from a cache (http/anonymous-cache.ts), those of members by surfaces/plain-answers.ts. Only requests
 * to a host of this site are answered (http/own-host.ts).
 */
export function createListener(deps: Deps, web: Web): Listener {
  const anonymousCache = new AnonymousCache(deps.changes, deps.config);
  const sessions = new Sessions(deps);
  const sharedPages = new SharedPages();
  const app = getRequestListener(createApp(deps, web, anonymousCache, sessions, sharedPages).fetch);
  const rendering = { web, sharedPages };
  const members = answerMembers(app, deps, sessions, rendering);
  const listener = anonymousCache.before(members, deps.log, visitorPages(deps, rendering));
  return onOwnHost(listener, deps);
}

/** The listener of a process that only works in the background: it answers `/healthz` and `/readyz`. */
export function createWorkerListener(deps: Deps): Listener {
  const app: App = new Hono();
  app.use(requestLog(deps.log));
  app.use(securityHeaders(deps.config));
  app.onError(answerFailures(deps.config));
  healthSurface(app, deps);
  return getRequestListener(app.fetch);
}

/** The application as a function from request to response: `app.fetch(request)`. */
export function createApp(
  deps: Deps,
  web: Web,
  anonymousCache = new AnonymousCache(deps.changes, deps.config),
  sessions = new Sessions(deps),
  sharedPages = new SharedPages(),
): App {
  const app: App = new Hono();

  app.use(requestLog(deps.log));
  app.use(securityHeaders(deps.config));
  app.use(askers(deps.config, (...asking) => sessions.identify(...asking)));
  app.onError(answerFailures(deps.config, web));

  // Before anything that refuses a request, so that a script of another origin can read the error.
  if (deps.config.corsOrigins.length > 0) {
    const allow = allowConfiguredOrigins(deps.config);
    for (const path of ['/api/*', '/v0/*']) app.use(path, allow);
    app.on(['OPTIONS', 'POST'], '/:project/:region/:name', allow);
  }
  app.use(guardWrites(deps));
  healthSurface(app, deps);
  policyReportsSurface(app, deps);
  manifestSurface(app, deps.config);
  if (web.clientDir !== undefined) assetsSurface(app, web.clientDir);
  filesSurface(app, deps);
  exportsSurface(app, deps);
  storageSurface(app, deps);
  unsubscribeSurface(app, deps);
  openapiSurface(app, deps.config, web);
  callableSurface(app, deps, anonymousCache);
  app.all('/api/*', answerNoCall);
  liveSurface(app, deps, sessions);
  feedSurface(app, deps);
  formsSurface(app, deps);
  openidSurface(app, deps);
  oldAddressesSurface(app, deps, web);
  pagesSurface(app, deps, web, anonymousCache, sharedPages);
  return app;
}
