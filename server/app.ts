import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { Sessions } from './accounts/sessions/sessions.ts';
import type { Deps } from './deps.ts';
import { AnswerCache } from './http/answer-cache.ts';
import type { Listener } from './http/connections.ts';
import { allowConfiguredOrigins } from './http/cors.ts';
import { onOwnHost } from './http/own-host.ts';
import { guardWrites, type RequestVariables, requestIdentities, requestLog } from './http/request.ts';
import { answerUnreadBody, headLength } from './http/responses.ts';
import { searchEngineHeaders, securityHeaders } from './http/security-headers.ts';
import { assetsSurface } from './surfaces/assets.ts';
import { answerNoCall, callableSurface, otherAddress } from './surfaces/callable/callable.ts';
import { exportsSurface } from './surfaces/exports.ts';
import { facesSurface } from './surfaces/faces.ts';
import { answerFailures } from './surfaces/failures.ts';
import { feedSurface } from './surfaces/feeds/feeds.ts';
import { filesSurface } from './surfaces/files.ts';
import { formsSurface } from './surfaces/forms.ts';
import { healthSurface } from './surfaces/health.ts';
import { liveSurface } from './surfaces/live.ts';
import { manifestSurface } from './surfaces/manifest.ts';
import { openapiSurface } from './surfaces/openapi/openapi.ts';
import { openidSurface } from './surfaces/openid.ts';
import { pagesSurface } from './surfaces/pages/pages.ts';
import type { Web } from './surfaces/pages/web.ts';
import { picturesZipSurface } from './surfaces/pictures-zip.ts';
import { policyReportsSurface } from './surfaces/policy-reports.ts';
import { proxyCheckSurface } from './surfaces/proxy-check.ts';
import { sitePicturesSurface } from './surfaces/site-pictures.ts';
import { sitemapSurface } from './surfaces/sitemap.ts';
import { storageSurface } from './surfaces/storage/storage.ts';
import { unsubscribeSurface } from './surfaces/unsubscribe.ts';
import { wellKnownSurface } from './surfaces/well-known.ts';
import { XmlDocuments } from './surfaces/xml-documents.ts';

export type App = Hono<RequestVariables>;

/**
 * The application as a listener of an HTTP server, behind the answer cache. Only requests to a host of this
 * site are answered (http/own-host.ts).
 */
export function createListener(deps: Deps, web: Web): Listener {
  const answers = new AnswerCache(deps);
  const app = getRequestListener(createApp(deps, web, answers).fetch);
  return onOwnHost(answers.inFrontOf(app, deps.log), deps);
}

/** The listener of a process that only does background work: it answers `/healthz` and `/readyz`. */
export function createWorkerListener(deps: Deps): Listener {
  const app: App = new Hono();
  app.use(requestLog(deps.log));
  app.use(headLength);
  app.use(securityHeaders(deps.config));
  app.onError(answerFailures(deps));
  healthSurface(app, deps);
  return getRequestListener(app.fetch);
}

/**
 * The application as a function from request to response: `app.fetch(request)`. Its router is the fastest of
 * Hono, which refuses patterns that it does not support; the default one falls back to a slower one.
 */
export function createApp(deps: Deps, web: Web, answers = new AnswerCache(deps)): App {
  const app: App = new Hono({ router: new RegExpRouter() });
  const sessions = new Sessions(deps);

  app.use(answerUnreadBody);
  app.use(requestLog(deps.log));
  app.use(headLength);
  app.use(securityHeaders(deps.config));
  app.use(requestIdentities(deps.config, (...asking) => sessions.identify(...asking)));
  app.onError(answerFailures(deps, web));

  // Before everything that may refuse a request, so that a script of another origin can read the error.
  if (deps.config.corsOrigins.length > 0) {
    const allow = allowConfiguredOrigins(deps.config);
    for (const path of ['/api/*', '/v0/*']) app.use(path, allow);
    app.on(['OPTIONS', 'POST'], '*', (c, next) => (otherAddress.test(c.req.path) ? allow(c, next) : next()));
  }
  app.use(guardWrites(deps));
  healthSurface(app, deps);
  policyReportsSurface(app, deps);
  proxyCheckSurface(app, deps);
  for (const path of ['/site/*', '/favicon.ico', '/favicon.svg', '/manifest.webmanifest'])
    app.get(path, searchEngineHeaders(deps));
  manifestSurface(app, deps);
  sitePicturesSurface(app, deps);
  if (web.clientDir !== undefined) assetsSurface(app, web.clientDir);
  app.get('*', searchEngineHeaders(deps));
  const documents = new XmlDocuments(deps);
  sitemapSurface(app, deps, documents);
  wellKnownSurface(app, deps);
  filesSurface(app, deps);
  facesSurface(app, deps);
  picturesZipSurface(app, deps);
  exportsSurface(app, deps);
  storageSurface(app, deps);
  unsubscribeSurface(app, deps);
  openapiSurface(app, deps, web);
  callableSurface(app, deps, answers);
  app.all('/api/*', answerNoCall);
  liveSurface(app, deps, sessions);
  feedSurface(app, deps, documents);
  formsSurface(app, deps);
  openidSurface(app, deps);
  pagesSurface(app, deps, web, answers);
  return app;
}
