import { setupLink } from '../../server/accounts/sign-in/setup.ts';
import type { Web } from '../../server/surfaces/pages/web.ts';
import type { Location } from '../support/site.ts';
import { type ReceivedMail, startSmtp } from '../support/smtp.ts';
import { doJobs, openServer, settingsOf } from './server.ts';

/** Where a history is played: a site without accounts, and the addresses of its processes. */
export type Place = {
  urls: readonly string[];
  location: Location;
  /** The token of the link that makes the first admin. */
  setupToken: string;
  /** The site's clock. */
  now(): number;
  moveClock(ms: number): Promise<void>;
  /** Does immediately what the site otherwise does in the background. */
  catchUp(): Promise<void>;
  /** The mails that the site has sent since the last call. */
  takeMails(): ReceivedMail[];
  /** Only if the servers are separate processes. */
  processes?: Processes;
  close(): Promise<void>;
};

export type Processes = {
  /** Stops a process until it is woken (SIGSTOP, SIGCONT): it keeps its connections and its memory. */
  freeze(process: number): void;
  wake(process: number): void;
  /** Ends a process as a power cut does (SIGKILL), and starts it again. */
  kill(process: number): Promise<void>;
  /** The same for the database's server, if there is one. */
  killDatabase?(): Promise<void>;
};

/**
 * The application with a real database, real sockets and a real mail server. Several applications in this
 * process, each with its own connections and caches, act as several processes. `more` are additional
 * settings.
 */
export async function openInProcess(location: Location, web: Web, processes = 1): Promise<Place> {
  let now = Date.now();
  const smtp = await startSmtp();
  const settings = settingsOf(location, smtp.url);
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

/** Empty without a link: a restored site has admins already. */
export const tokenIn = (link: string | undefined) => URL.parse(link ?? '')?.searchParams.get('token') ?? '';
