import { Command } from 'commander';
import { findSettings, readConfig, settingVariables } from '../config.ts';
import { Environment, secretSettings } from '../environment.ts';
import { print, printableLine } from './print.ts';

/** `coterie config`: the value and the source of each setting. Shows no secrets. */
export function configCommand(): Command {
  return new Command('config')
    .description('print all settings and where their values come from, secrets as ***')
    .action(() => {
      // Reports a wrong setting as a start does.
      readConfig(process.env);
      for (const line of settingLines(process.env)) print(line);
    });
}

/** A line for each setting: its name, its value and its source. */
export function settingLines(environment: Record<string, string | undefined>): string[] {
  const set = findSettings(environment);
  const defaults = new Map(Object.entries(Environment.parse({})));
  const rows = [...Object.keys(Environment.shape), ...settingVariables].map(name => {
    const found = set.get(name);
    const value = found?.value ?? String(defaults.get(name) ?? '');
    const source = found?.source ?? (settingVariables.includes(name) ? 'Admin, Settings' : 'default');
    return { name, value: secretSettings.has(name) ? withoutSecret(name, value) : value, source };
  });
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows.map(({ name, value, source }) => printableLine(`${name.padEnd(width)}  ${value}  (${source})`));
}

/** `***` for a secret; in an address, for the user, the password and the query. */
function withoutSecret(name: string, value: string): string {
  const isFolder = !value.includes('://');
  if (value === '' || (name === 'BACKUP_URL' && isFolder)) return value;
  if (!name.endsWith('_URL')) return '***';
  const [, start, user, rest, query] = /^(\w+:\/\/)([^@]*@)?([^@?#]*)(\?[^@]*)?$/.exec(value) ?? [];
  return start === undefined ? '***' : [start, user && '***@', rest, query && '?***'].join('');
}
