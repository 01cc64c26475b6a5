import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createListener } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { openDeps } from '../../server/open-deps.ts';
import { noPages } from '../support/no-pages.ts';

/**
 * A process of its own on a site that is there, for what must hold between processes: everything but pages,
 * which would have to be built first. Settings come from the environment; it sends its parent the port, and
 * ends with it.
 */
const config = readConfig(process.env);
const { close: _, ...deps } = await openDeps(config, {
  opening: 'nothing',
  limits: new Limits(1_000),
});
const listener = createListener(deps, noPages);
const server = createServer(listener);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit());
process.send?.((server.address() as AddressInfo).port);
