import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';

/**
 * The whole server as it is started, but for pages, which would have to be built first. It tells its parent
 * once it listens.
 */
const noPages = () => Promise.reject(new Error('This process has no pages.'));
await startServer(readConfig({ LOG_LEVEL: 'silent', ...process.env }), {
  render: noPages,
  queryOf: () => undefined,
  clientDir: undefined,
  assetsOf: noPages,
});
process.send?.('listening');
