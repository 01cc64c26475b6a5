import { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { Deps } from '../deps.ts';
import { maxMailBytes, receiveMail } from '../incoming-mail/receive.ts';
import { dkimRecord, dkimSelector, hostOf, makeDkimKey } from '../mail/dkim.ts';
import { print, printError } from './print.ts';
import { withDeps } from './with-deps.ts';

/** With this exit code the machine's mail server tries again later (`EX_TEMPFAIL` of sysexits.h). */
const tryAgainLater = 75;

export function mailCommand(): Command {
  const command = new Command('mail').description('take mail, and make the key with which it is signed');
  command
    .command('receive')
    .description('take a mail on standard input, as the mail server of this machine hands it over')
    .option('--to <addresses...>', 'the addresses to which it came, where its headers do not say so')
    .action(async ({ to = [] }: { to?: string[] }) => {
      try {
        if (readConfig(process.env).mailReplyAddress === undefined)
          throw new Error('MAIL_REPLY_ADDRESS is not set, so this site takes no mail.');
        const source = await readInput();
        for (const became of await withDeps('nothing', deps => receiveFor(deps, source, to))) print(became);
      } catch (error) {
        // Whatever the error, a person can fix it, and the mail must not be lost meanwhile.
        printError(error instanceof Error ? error.message : String(error));
        process.exitCode = tryAgainLater;
      }
    });
  command
    .command('key')
    .description('make a key with which mails are signed, and print what to paste where; changes nothing')
    .action(() => {
      const { mailDkimKey, mailFrom, publicUrl } = readConfig(process.env);
      const made = makeDkimKey();
      const key = mailDkimKey ?? made.key;
      const host = mailFrom === undefined ? new URL(publicUrl).hostname : hostOf(mailFrom);
      print(`A TXT record for the DNS, with the name

  ${dkimSelector}._domainkey.${host}

and the text

  ${dkimRecord(key)}
`);
      if (mailDkimKey === undefined)
        print(
          `A line for the settings, once that record can be looked up (coterie doctor --mail):\n\nMAIL_DKIM_KEY='${made.text}'`,
        );
      else print('It is the record of the key that MAIL_DKIM_KEY has already.');
    });
  return command;
}

/** Receives a mail once for each address: each can belong to another post. Returns what it became. */
async function receiveFor(deps: Deps, source: Buffer, to: readonly string[]): Promise<Set<string>> {
  const addresses = to.length === 0 ? [[]] : to.map(address => [address]);
  const became = new Set<string>();
  for (const each of addresses) became.add(await receiveMail(deps, source, each));
  return became;
}

/** Standard input, up to the largest mail that is read. */
async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxMailBytes + chunk.length) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
