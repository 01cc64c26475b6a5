import { createCipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { ReadableStream as NodeStream } from 'node:stream/web';
import { promisify } from 'node:util';
import type { Stanza as AgeStanza, Identity, Recipient } from 'age-encryption';
import { passphraseMinCharacters } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import type { ArchiveEncryption } from '../../config.ts';
import { headOf } from '../../files/store/disk.ts';
import { copies } from '../../files/store/store.ts';
import { damaged } from './format.ts';

/**
 * Archives are encrypted in the format of age (https://age-encryption.org/v1), which other programs read: for
 * the owner of a recipient's key, or by a passphrase.
 */

/** Keys that may open encrypted archives: secret keys (`AGE-SECRET-KEY-1...`), or a passphrase. */
export type Keys = { identities?: readonly string[]; passphrase?: string };

/** The key of one file, which its header contains in wrapped form. */
export type FileKey = Identity;

/** The first line of age's format, and the beginning of the next line if a passphrase opens the rest. */
const firstLine = 'age-encryption.org/v1\n';
const scryptBeginning = `${firstLine}-> scrypt `;
/** A header has about 100 bytes per recipient, up to 2,000 for the kind `age1pq`. Bytes. */
const maxHeaderBytes = 64 * 1024;

export type Encrypting = {
  encrypt(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /**
   * Reads this one archive back, so that the process that wrote it can compare it, although it can open no
   * other.
   */
  key: FileKey;
};

/** Throws invalid-argument for an invalid public key of age, and for a passphrase that is too short. */
export async function encrypting(encryption: ArchiveEncryption): Promise<Encrypting> {
  // Loaded at its first use: most sites never encrypt an archive.
  const { Encrypter, Stanza } = await import('age-encryption');
  const encrypter = new Encrypter();
  if ('passphrase' in encryption) encrypter.addRecipient(byPassphrase(encryption.passphrase, Stanza));
  else {
    for (const recipient of encryption.recipients) {
      try {
        encrypter.addRecipient(recipient);
      } catch {
        throw new AppError(
          'invalid-argument',
          `${recipient} is not a public key of age. Such a key begins with age1.`,
        );
      }
    }
  }
  let fileKey: Uint8Array | null = null;
  encrypter.addRecipient({
    wrapFileKey: key => {
      fileKey = Uint8Array.from(key);
      // Not written at all.
      return [];
    },
  });
  return {
    encrypt: async function* (chunks) {
      yield* await encrypter.encrypt(streamOf(chunks));
    },
    key: { unwrapFileKey: () => fileKey },
  };
}

const scryptKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
/** As in the age program: 256 MiB of memory per guess. */
const workFactor = 18;

/**
 * Wraps the key of a file with a passphrase (https://c2sp.org/age, "The scrypt recipient type"). The library
 * can do it, too, but would block the whole process for a second or two.
 */
function byPassphrase(passphrase: string, Stanza: typeof AgeStanza): Recipient {
  if (passphrase.length < passphraseMinCharacters) {
    throw new AppError(
      'invalid-argument',
      `The passphrase of an archive has at least ${passphraseMinCharacters} characters.`,
    );
  }
  return {
    wrapFileKey: async fileKey => {
      const salt = randomBytes(16);
      const labelled = Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt]);
      const cost = { N: 2 ** workFactor, r: 8, p: 1, maxmem: 2 ** 29 };
      const key = await scryptKey(passphrase, labelled, 32, cost);
      const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      return [new Stanza(['scrypt', salt.toString('base64').replace(/=+$/, ''), String(workFactor)], body)];
    },
  };
}

/** The chunks as age accepts them, whose types are those of browsers. It requests the next chunk early. */
const streamOf = (chunks: AsyncIterable<Uint8Array>) =>
  NodeStream.from(copies(chunks)) as ReadableStream<Uint8Array>;

/** The extension of an archive's name. */
export const endingOf = (encryption: ArchiveEncryption | undefined): string =>
  encryption === undefined ? '.tar' : '.tar.age';

/**
 * The key of an encrypted file. It is found once, however often the file is read: a passphrase takes a second
 * each time. Undefined for an unencrypted file. Throws failed-precondition if no key of its kind was given,
 * and invalid-argument for a wrong key and for a damaged header.
 */
export async function keyOfFile(path: string, keys: Keys): Promise<FileKey | undefined> {
  const beginning = (await headOf(path, maxHeaderBytes)).toString('latin1');
  if (!beginning.startsWith(firstLine)) return undefined;
  const end = /\n--- .+\n/.exec(beginning);
  if (end === null) throw damaged(`the beginning of ${path}`);
  const header = beginning.slice(0, end.index + end[0].length);
  refuseMissing(path, beginning.startsWith(scryptBeginning), keys);
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  const { identities = [], passphrase } = keys;
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
  } catch {
    throw new AppError(
      'invalid-argument',
      'The key is not a valid key of age: it is incomplete, or a character is wrong.',
    );
  }
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
  const fileKey = await decrypter.decryptHeader(Buffer.from(header, 'latin1')).catch(() => {
    throw new AppError('invalid-argument', `${path} cannot be opened with this key.`);
  });
  return { unwrapFileKey: () => fileKey };
}

function refuseMissing(path: string, isByPassphrase: boolean, { identities = [], passphrase }: Keys): void {
  if (isByPassphrase && passphrase === undefined) {
    throw new AppError(
      'failed-precondition',
      `${path} is encrypted with a passphrase. Name a file that holds it with --passphrase-file, or set BACKUP_PASSPHRASE.`,
    );
  }
  if (!isByPassphrase && identities.length === 0) {
    throw new AppError(
      'failed-precondition',
      `${path} is encrypted for the owner of a key. Name the file of the key with --identity.`,
    );
  }
}

/**
 * Yields the decrypted chunks of an archive; errors mention `name`. Each 64 KiB are yielded only once they
 * are verified. Throws invalid-argument for a changed byte or a missing end.
 */
export async function* decrypt(
  chunks: AsyncIterable<Uint8Array>,
  key: FileKey,
  name: string,
): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  // Errors of the disk or the store are thrown unchanged.
  let failure: unknown;
  const source = (async function* () {
    try {
      yield* chunks;
    } catch (error) {
      failure = error;
      throw error;
    }
  })();
  try {
    yield* await decrypter.decrypt(streamOf(source));
  } catch {
    throw failure ?? damaged(name);
  } finally {
    await source.return(undefined);
  }
}
