import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { ffmpegIsMissing, hasFfmpeg } from '../files/videos/ffmpeg.ts';
import { dnsLookup, examineDns } from '../mail/examine-dns.ts';
import { examineSite, type Finding } from './examine.ts';
import { print } from './print.ts';
import { withDeps } from './with-deps.ts';

/** `coterie doctor`: says whether everything that must hold holds. Exits with 1 when something does not. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check counts, references and files; changes nothing')
    .option('--mail', 'look up in the DNS what receivers of mail want, and say what to paste where')
    .action(async ({ mail = false }: { mail?: boolean }) => {
      if (mail) return await reportDns();
      if (!(await hasFfmpeg())) print(ffmpegIsMissing);
      report(await examineSite(readConfig(process.env)));
    });
}

/** Prints what the DNS says of the sender of mails, and fails where something is missing. */
async function reportDns(): Promise<void> {
  const config = readConfig(process.env);
  const from = await withDeps('nothing', deps => deps.mail.from());
  const findings = await examineDns(config, from, dnsLookup());
  for (const { about, isGood, sentence } of findings)
    print(`${isGood ? 'OK ' : 'FIX'}  ${about}\n     ${sentence}`);
  if (findings.some(({ isGood }) => !isGood)) process.exitCode = 1;
}

/** Prints what is broken, and makes the command fail where there is anything. */
export function report(findings: readonly Finding[]): void {
  for (const { rule, broken } of findings) print(`BROKEN  ${rule}\n        ${broken.join('\n        ')}`);
  if (findings.length === 0) print('No problems found.');
  else process.exitCode = 1;
}
