import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expect, it } from 'vitest';
import { AnswerCache } from '../../server/http/answer-cache.ts';
import { describeSqlite } from '../support/engines.ts';
import { listen } from '../support/listen.ts';
import { openSite } from '../support/site.ts';

describeSqlite(({ migrated }) => {
  it.each([{}, { CORS_ORIGINS: 'https://elsewhere.example' }])(
    'a call without a body is refused as a bad request with the settings %j',
    async settings => {
      const s = await openSite(await migrated(), settings);
      // As the server sends requests on: what looks at the body first has found its end.
      const answers = new AnswerCache(s.deps);
      const server = createServer(answers.inFrontOf(getRequestListener(s.app.fetch), s.deps.log));
      await listen(server);
      try {
        const { port } = server.address() as AddressInfo;
        const response = await fetch(`http://127.0.0.1:${port}/api/getPosts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
        });
        expect(response.status).toBe(400);
        expect((await response.json()).error.status).toBe('INVALID_ARGUMENT');
      } finally {
        server.closeAllConnections();
        server.close();
        await s.close();
      }
    },
  );
});
