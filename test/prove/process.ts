import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setupLink } from '../../server/accounts/sign-in/setup.ts';
import { builtWeb } from '../../server/surfaces/pages/web.ts';
import { doJobs, openServer } from './server.ts';

/** What the tester sends to a process. The process answers once it is done. */
export type Command = { do: 'setClock'; offsetMs: number } | { do: 'catchUp' };

/**
 * A server in a separate process, which can be killed and frozen. Settings come from the environment. It
 * tells its parent when it listens, and ends together with its parent.
 */
process.env.NODE_ENV = 'production';
let offsetMs = Number(process.env.CLOCK_OFFSET);
const settings = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
const web = await builtWeb(join(import.meta.dirname, '../../dist/web'));
const { deps } = await openServer(settings, web, () => Date.now() + offsetMs, Number(process.env.PORT));

/** Does what is due, and tries again while the database is starting. */
async function untilDone(): Promise<void> {
  for (let tries = 100; ; tries -= 1) {
    try {
      return await doJobs(deps);
    } catch (error) {
      if (tries === 0) throw error;
      await sleep(100);
    }
  }
}

process.on('disconnect', () => process.exit());
process.on('message', (command: Command) => {
  const done = () => process.send?.('done');
  if (command.do === 'setClock') {
    offsetMs = command.offsetMs;
    done();
  } else {
    void untilDone().then(done);
  }
});
process.send?.((await setupLink(deps)) ?? 'listening');
