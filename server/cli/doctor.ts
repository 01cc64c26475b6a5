import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { openDatabase } from '../db/connect.ts';
import { dnsLookup, examineDns } from '../mail/examine-dns.ts';
import { backupWarnings, readBackupState } from '../moving/archive/backup-state.ts';
import { effective, readStored } from '../settings/site-settings.ts';
import { askOutside } from '../system/outside.ts';
import { warnings } from '../system/warnings.ts';
import { examineSite, type Finding, isIntact } from './examine.ts';
import { print } from './print.ts';
import { withDeps } from './with-deps.ts';

/** `coterie doctor`: checks the site. Exits with 1 if something is broken. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check counts, references and files; changes nothing')
    .option('--mail', 'look up in the DNS what receivers of mail want, and say what to paste where')
    .action(async ({ mail = false }: { mail?: boolean }) => {
      if (mail) return await reportDns();
      const config = readConfig(process.env);
      const findings = await examineSite(config);
      report(findings);
      // A damaged database cannot be examined further.
      if (findings.some(({ rule }) => rule === isIntact)) return;
      const found = [...(await warningsOf(config)), ...(await askOutside(config))];
      for (const sentence of found) print(`WARNING ${sentence}`);
    });
}

/** Prints the DNS records about the sender of mails, and fails if one is missing. */
async function reportDns(): Promise<void> {
  const config = readConfig(process.env);
  const from = await withDeps('nothing', deps => deps.mail.from());
  const findings = await examineDns(config, from, dnsLookup());
  for (const { about, isGood, sentence } of findings)
    print(`${isGood === null ? '?  ' : isGood ? 'OK ' : 'FIX'}  ${about}\n     ${sentence}`);
  if (findings.some(({ isGood }) => isGood === false)) process.exitCode = 1;
}

/** Without the other dependencies: opening those would write to the database. */
async function warningsOf(config: Config): Promise<string[]> {
  const { db, close } = await openDatabase(config, 'nothing');
  try {
    const found = await warnings({ config, db, clock: Date.now });
    const { backupAt } = effective(await readStored(db), config);
    if (config.hasPublicUrl) found.push(...backupWarnings(await readBackupState(db), backupAt, Date.now()));
    return found;
  } finally {
    await close();
  }
}

/** Prints what is broken, and makes the command fail if anything is. */
export function report(findings: readonly Finding[]): void {
  for (const { rule, broken } of findings) print(`BROKEN  ${rule}\n        ${broken.join('\n        ')}`);
  if (findings.length === 0) print('No problems found.');
  else process.exitCode = 1;
}
