import { setupLink } from '../../server/accounts/setup.ts';
import type { Web } from '../../server/surfaces/pages/web.ts';
import type { Location } from '../site.ts';
import { type ReceivedMail, startSmtp } from '../smtp.ts';
import { doJobs, openServer, settingsOf } from './server.ts';

/** Where a history is played: a site without accounts, which answers on some addresses. */
export type Place = {
  urls: readonly string[];
  location: Location;
  /** The token of the link that makes the first admin. */
  setupToken: string;
  /** The clock that the site dates by. */
  now(): number;
  moveClock(ms: number): Promise<void>;
  /** Does at once what the site does beside requests. */
  catchUp(): Promise<void>;
  /** What the site has mailed since this was asked last. */
  takeMails(): ReceivedMail[];
  /** Where the servers are processes of their own. */
  processes?: Processes;
  close(): Promise<void>;
};

export type Processes = {
  /** Stops one for as long as nobody wakes it (SIGSTOP, SIGCONT): it keeps its connections and all that it remembers. */
  freeze(process: number): void;
  wake(process: number): void;
  /** Ends one as a power cut does (SIGKILL), and starts it again. */
  kill(process: number): Promise<void>;
  /** The same for the server of the database, where there is one. */
  killDatabase?(): Promise<void>;
};

/**
 * The application on a real database, behind real sockets and before a real mail server. Several of it, each with connections
 * and caches of its own, stand for several processes. `more` are settings beside those of every site.
 */
export async function openInProcess(
  location: Location,
  web: Web,
  processes = 1,
  more: Record<string, string> = {},
): Promise<Place> {
  let now = Date.now();
  const smtp = await startSmtp();
  const settings = { ...settingsOf(location, smtp.url), ...more };
  const servers: Awaited<ReturnType<typeof openServer>>[] = [];
  for (let index = 0; index < processes; index += 1) servers.push(await openServer(settings, web, () => now));
  const [first] = servers;
  if (first === undefined) throw new Error('There has to be a process.');
  return {
    urls: servers.map(({ url }) => url),
    location,
    setupToken: tokenIn(await setupLink(first.deps)),
    now: () => now,
    moveClock: async ms => {
      now += ms;
    },
    catchUp: () => doJobs(first.deps),
    takeMails: () => smtp.mails.splice(0),
    close: async () => {
      for (const { close } of servers) await close();
      await smtp.stop();
    },
  };
}

/** Empty where there is no link: a site that was brought back has its admins. */
export const tokenIn = (link: string | undefined) => URL.parse(link ?? '')?.searchParams.get('token') ?? '';
