import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { examineSite, type Finding } from './examine.ts';
import { print } from './print.ts';

/** `coterie doctor`: says whether everything that must hold holds. Exits with 1 when something does not. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check counts, references and files; changes nothing')
    .action(async () => {
      report(await examineSite(readConfig(process.env)));
    });
}

/** Prints what is broken, and makes the command fail where there is anything. */
export function report(findings: readonly Finding[]): void {
  for (const { rule, broken } of findings) print(`BROKEN  ${rule}\n        ${broken.join('\n        ')}`);
  if (findings.length === 0) print('No problems found.');
  else process.exitCode = 1;
}
