import { expect, it } from 'vitest';
import { describeEngines } from '../engines.ts';
import { listenOn } from '../held-request.ts';
import { openSite } from '../site.ts';

describeEngines('a call without a body', ({ location }) => {
  it.each([{}, { CORS_ORIGINS: 'https://elsewhere.example' }])(
    'is refused as a bad request with the settings %j',
    async settings => {
      const s = await openSite(await location(), settings);
      const listening = await listenOn(s);
      try {
        const response = await fetch(`${listening.url}/api/getPosts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
        });
        expect(response.status).toBe(400);
        expect((await response.json()).error.status).toBe('INVALID_ARGUMENT');
      } finally {
        await listening.close();
        await s.close();
      }
    },
  );
});
