import { Hono } from 'hono';
import { AppError } from '../contract/errors.ts';
import { Sessions } from './access/sessions.ts';
import type { Deps } from './deps.ts';
import { assetsSurface } from './surfaces/assets.ts';
import { callableSurface } from './surfaces/callable.ts';
import { answerError } from './surfaces/errors.ts';
import { filesSurface } from './surfaces/files.ts';
import { healthSurface } from './surfaces/health.ts';
import { guardWrites } from './surfaces/limits.ts';
import { liveSurface } from './surfaces/live.ts';
import { pagesSurface } from './surfaces/pages.ts';
import { type RequestVariables, requestLog } from './surfaces/request.ts';
import { securityHeaders } from './surfaces/security-headers.ts';
import { unsubscribeSurface } from './surfaces/unsubscribe.ts';
import { uploadSurface } from './surfaces/upload.ts';
import type { Web } from './surfaces/web.ts';

export type App = Hono<RequestVariables>;

/** The application as a function from request to response: `app.fetch(request)`. */
export function createApp(deps: Deps, web: Web): App {
  const sessions = new Sessions(deps.db, deps.changes, deps.auth, deps.catalogue);
  const app: App = new Hono();

  app.use(requestLog(deps.log));
  app.use(securityHeaders(deps.config));
  app.onError((error, c) => {
    const { http, body } = answerError(error, c.var.log ?? deps.log);
    return c.json(body, http as 500);
  });

  app.use(guardWrites(deps));
  healthSurface(app, deps);
  if (web.clientDir !== undefined) assetsSurface(app, web.clientDir);
  callableSurface(app, deps, sessions);
  unsubscribeSurface(app, deps);
  app.all('/api/*', c => {
    const { http, body } = answerError(new AppError('not-found', 'There is no such operation.'), c.var.log);
    return c.json(body, http as 404);
  });
  uploadSurface(app, deps, sessions);
  filesSurface(app, deps, sessions);
  liveSurface(app, deps, sessions);
  pagesSurface(app, deps, sessions, web);
  return app;
}
