import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';
import { noPages } from '../support/no-pages.ts';

/**
 * The whole server as it is started, but for pages, which would have to be built first. It tells its parent
 * once it listens.
 */
await startServer(readConfig({ LOG_LEVEL: 'silent', ...process.env }), noPages);
process.send?.('listening');
