import { once } from 'node:events';
import { parseNetworks } from './base/networks.ts';
import { runTransfer } from './moving/transfers/run.ts';
import type { Work } from './moving/transfers/work.ts';
import { openDeps } from './open-deps.ts';

/**
 * The process that runs an import or an export. Its parent sends it the id of the transfer and the settings
 * of the site. It ends when its parent ends.
 */
process.umask(0o077);
const stopping = new AbortController();
const stop = () => stopping.abort();
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
const parentIsGone = () => process.exit(1);
process.on('disconnect', parentIsGone);
const [{ settings, ...work }] = (await once(process, 'message')) as [Work];
const none = parseNetworks('');
const config = { ...settings, trustedProxies: none, webhookNetworks: none };
const { close, ...deps } = await openDeps(config, {
  opening: 'nothing',
  stopping: stopping.signal,
});
try {
  await runTransfer(deps, work);
} finally {
  await close();
  process.off('disconnect', parentIsGone);
  process.disconnect();
}
