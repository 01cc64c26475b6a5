import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';
import { builtWeb } from '../../server/surfaces/pages/web.ts';

/**
 * A process that runs the built server on one site after another, as `coterie start` does on one: a site
 * starts in a tenth of the time, and its first pages are rendered by code that V8 has compiled. The parent
 * sends the settings of a site to start it, and `stop` to stop it.
 */
const [webFolder = ''] = process.argv.slice(2);
const web = await builtWeb(webFolder);
const own = { ...process.env };
// Each site listens for the signals that stop a server.
process.setMaxListeners(0);
let stop = async () => {};

process.on('message', async (message: NodeJS.ProcessEnv | 'stop') => {
  try {
    if (message === 'stop') {
      await stop();
    } else {
      process.env = { ...own, ...message };
      ({ stop } = await startServer(readConfig(process.env), web));
    }
    process.send?.({ isDone: true });
  } catch (error) {
    process.send?.({ error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
process.send?.({ isDone: true });
