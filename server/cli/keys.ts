import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { AppError } from '../../contract/errors.ts';
import { type ArchiveEncryption, readConfig } from '../config.ts';
import type { Keys } from '../moving/archive/encryption.ts';

/**
 * Keys and passphrases are read from files and the environment, because every user of the machine can see a
 * command's arguments.
 */

export type KeyOptions = { identity?: string; passphraseFile?: string };
export type EncryptionOptions = { recipient?: string[]; passphraseFile?: string };

export function withKeyOptions(command: Command): Command {
  return command
    .option('--identity <file>', 'the file of the key that opens it, as age-keygen writes it')
    .option(
      '--passphrase-file <file>',
      'the file of the passphrase that opens it (default: BACKUP_PASSPHRASE)',
    );
}

export function withEncryptionOptions(command: Command): Command {
  return command
    .option(
      '--recipient <key>',
      'encrypt it for this public key of age, age1... (may be repeated; default: BACKUP_RECIPIENTS)',
      (key: string, before: string[] = []) => [...before, key],
    )
    .option(
      '--passphrase-file <file>',
      'encrypt it with the passphrase in this file (default: BACKUP_PASSPHRASE)',
    );
}

/** The keys and passphrases of these options and the settings that may open an archive. */
export async function keysOf({ identity, passphraseFile }: KeyOptions): Promise<Keys> {
  const { archiveEncryption } = readConfig(process.env);
  const isPassphraseSet = archiveEncryption !== undefined && 'passphrase' in archiveEncryption;
  return {
    ...(isPassphraseSet && archiveEncryption),
    ...(identity !== undefined && { identities: await readIdentities(identity) }),
    ...(passphraseFile !== undefined && { passphrase: await readPassphrase(passphraseFile) }),
  };
}

/** How these options encrypt an archive; undefined if they leave it to the settings. */
export async function encryptionOf({
  recipient: recipients,
  passphraseFile,
}: EncryptionOptions): Promise<ArchiveEncryption | undefined> {
  if (recipients !== undefined && passphraseFile !== undefined)
    throw new AppError('invalid-argument', 'Name recipients or a passphrase, not both.');
  if (recipients !== undefined) return { recipients };
  return passphraseFile === undefined ? undefined : { passphrase: await readPassphrase(passphraseFile) };
}

/** The keys in a file as `age-keygen` writes it: one per line, besides comments. */
async function readIdentities(path: string): Promise<string[]> {
  const lines = (await readText(path)).split('\n').map(line => line.trim());
  const keys = lines.filter(line => line !== '' && !line.startsWith('#'));
  if (keys.length === 0 || !keys.every(key => /^AGE-SECRET-KEY-(?:PQ-)?1/.test(key))) {
    throw new AppError(
      'invalid-argument',
      `${path} holds no key of age: it has lines such as AGE-SECRET-KEY-1..., as age-keygen writes it. Open one that has a passphrase of its own with age first.`,
    );
  }
  return keys;
}

async function readPassphrase(path: string): Promise<string> {
  const passphrase = (await readText(path)).split(/\r?\n/)[0] ?? '';
  if (passphrase === '') throw new AppError('invalid-argument', `The first line of ${path} is empty.`);
  return passphrase;
}

/** Throws not-found for a file that cannot be read. */
export async function readText(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => {
    throw new AppError('not-found', `The file ${path} cannot be read.`);
  });
}
