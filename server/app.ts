import { Hono } from 'hono';
import { Sessions } from './accounts/sessions.ts';
import type { Deps } from './deps.ts';
import { AnonymousCache } from './http/anonymous-cache.ts';
import { askers } from './http/asker.ts';
import { allowConfiguredOrigins } from './http/cors.ts';
import { guardWrites } from './http/csrf.ts';
import { type RequestVariables, requestLog } from './http/request.ts';
import { securityHeaders } from './http/security-headers.ts';
import { assetsSurface } from './surfaces/assets.ts';
import { answerNoCall, callableSurface } from './surfaces/callable/callable.ts';
import { answerFailure } from './surfaces/failures.ts';
import { feedSurface } from './surfaces/feed.ts';
import { filesSurface } from './surfaces/files.ts';
import { healthSurface } from './surfaces/health.ts';
import { liveSurface } from './surfaces/live.ts';
import { loginFormSurface } from './surfaces/login-form.ts';
import { manifestSurface } from './surfaces/manifest.ts';
import { oldAddressesSurface } from './surfaces/old-addresses.ts';
import { openapiSurface } from './surfaces/openapi/openapi.ts';
import { openidSurface } from './surfaces/openid.ts';
import { pagesSurface } from './surfaces/pages/pages.ts';
import type { Web } from './surfaces/pages/web.ts';
import { policyReportsSurface } from './surfaces/policy-reports.ts';
import { storageSurface } from './surfaces/storage/storage.ts';
import { unsubscribeSurface } from './surfaces/unsubscribe.ts';

export type App = Hono<RequestVariables>;

/**
 * The application as a function from request to response: `app.fetch(request)`. It keeps what visitors
 * are answered in `anonymousCache`, from where a server may send it without asking again.
 */
export function createApp(
  deps: Deps,
  web: Web,
  anonymousCache = new AnonymousCache(deps.changes, deps.config),
): App {
  const sessions = new Sessions(deps);
  const app: App = new Hono();

  app.use(requestLog(deps.log));
  app.use(securityHeaders(deps.config));
  app.use(askers(deps.config, (...asking) => sessions.identify(...asking)));
  app.onError(answerFailure);

  // Before anything that refuses: a program must be able to read why.
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
  storageSurface(app, deps);
  unsubscribeSurface(app, deps);
  openapiSurface(app, deps.config);
  callableSurface(app, deps, anonymousCache);
  app.all('/api/*', answerNoCall);
  liveSurface(app, deps, sessions);
  feedSurface(app, deps, sessions);
  loginFormSurface(app, deps);
  openidSurface(app, deps);
  oldAddressesSurface(app, deps, web);
  pagesSurface(app, deps, web, anonymousCache);
  return app;
}
