import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './base/config-error.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export type SettingSource = { value: string; source: string };

/** The settings that {@link loadSettingsFile} has added to the environment, and their origin. */
const loaded = new Map<string, string>();

/**
 * Adds the settings of the file SETTINGS_FILE, or of `.env` in this folder, to the environment, which takes
 * precedence. Throws {@link ConfigError}.
 */
export function loadSettingsFile(): void {
  const named = process.env.SETTINGS_FILE;
  const file = resolve(named || '.env');
  const text = (named ? textOf : textIn)(file, `The file ${file}`);
  for (const [name, value] of Object.entries(parseEnv(text ?? ''))) {
    if (value === undefined || process.env[name] !== undefined) continue;
    process.env[name] = value;
    loaded.set(name, file);
  }
}

/**
 * A setting from the variable NAME, from the file that NAME_FILE names, or from the systemd credential NAME.
 * Undefined if it is unset or empty: `.env` files often have empty ones. Throws {@link ConfigError}.
 */
export function findSetting(environment: Variables, name: string): SettingSource | undefined {
  const candidates = [
    { source: loaded.get(name) ?? 'the environment', value: environment[name] },
    ...settingFiles(environment, name),
  ];
  const [first, second] = candidates.flatMap(({ source, value }) =>
    value === undefined || value.trim() === '' ? [] : [{ source, value }],
  );
  if (first !== undefined && second !== undefined)
    throw new ConfigError(
      `${name} is set twice, by ${first.source} and by ${second.source}: remove one of them.`,
    );
  return first;
}

function settingFiles(environment: Variables, name: string): { source: string; value: string | undefined }[] {
  const named = environment[`${name}_FILE`];
  const folder = environment.CREDENTIALS_DIRECTORY;
  const credential = join(folder ?? '', name);
  return [
    ...(named ? [{ source: named, value: textOf(named, `${name}_FILE is ${named}, which`) }] : []),
    ...(folder ? [{ source: credential, value: textIn(credential, `The credential ${credential}`) }] : []),
  ];
}

/**
 * The text of a file without its last line feed and byte order mark. A missing file is an error: without it
 * the site would be another one.
 */
function textOf(file: string, what: string): string {
  const text = textIn(file, what);
  if (text === undefined) throw new ConfigError(`${what} does not exist.`);
  return text;
}

/** Like {@link textOf}; undefined for a missing file. */
function textIn(file: string, what: string): string | undefined {
  try {
    // Editors of Windows write a byte order mark.
    return readFileSync(file, 'utf8').replace(/^\uFEFF|\r?\n$/g, '');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${what} cannot be read by this user.`, { cause: error });
  }
}
