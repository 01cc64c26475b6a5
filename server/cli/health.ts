import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { withCause } from '../db/outage.ts';
import { print, printError } from './print.ts';

/** How long the process has to answer, in milliseconds. */
const answerWithinMs = 5_000;

/** `coterie health`: whether the process on this machine is ready. Exits with 1 if it is not. */
export function healthCommand(): Command {
  return new Command('health')
    .description('ask the running process whether it is ready, as containers do')
    .action(async () => {
      const address = `${readConfig(process.env).ownUrl}/readyz`;
      try {
        const answer = await fetch(address, { signal: AbortSignal.timeout(answerWithinMs) });
        const text = (await answer.text()).trim();
        if (answer.ok) return print(text);
        printError(`${address}: ${answer.status} ${text}`);
      } catch (error) {
        printError(`${address} does not answer: ${error instanceof Error ? withCause(error) : error}.`);
      }
      process.exitCode = 1;
    });
}
