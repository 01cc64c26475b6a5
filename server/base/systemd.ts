import { execFile } from 'node:child_process';
import type { Logger } from 'pino';

/**
 * Tells systemd that the service is ready, and then pings its watchdog at half its interval, for a unit with
 * `Type=notify`; does nothing otherwise. It runs systemd-notify, because Node.js cannot send datagrams to
 * Unix sockets. Returns a function that stops the pings.
 */
export function tellSystemd(log: Logger): () => void {
  const { NOTIFY_SOCKET, WATCHDOG_USEC } = process.env;
  if (NOTIFY_SOCKET === undefined) return () => undefined;
  const tell = (state: string) =>
    execFile('systemd-notify', [state], error => {
      if (error !== null) log.error({ err: error }, 'systemd could not be told the state of the service');
    });
  tell('READY=1');
  const microseconds = Number(WATCHDOG_USEC ?? 0);
  const timer = microseconds > 0 && setInterval(tell, microseconds / 2_000, 'WATCHDOG=1').unref();
  return () => {
    if (timer) clearInterval(timer);
  };
}
