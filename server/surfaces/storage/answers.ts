import type { Logger } from 'pino';
import { wireName } from '../../../contract/errors.ts';
import type { StorageMetadata } from '../../../contract/files.ts';
import type { Identity } from '../../access/hold-rights.ts';
import type { FileRow } from '../../db/tables.ts';
import type { Deps } from '../../deps.ts';
import { fileAddress } from '../../files/address.ts';
import { createDownloadToken } from '../../files/download-token.ts';
import type { OwnMetadata } from '../../files/metadata.ts';
import { answerError } from '../../http/errors.ts';

/** What is told of a file to who may have it; the token in it opens the file as them, for an hour. */
export function describeFile(
  { config, clock, secret, credential }: Pick<Deps, 'config' | 'clock' | 'secret'> & Identity,
  file: FileRow,
): StorageMetadata {
  const signing = { secret, now: clock() };
  return {
    ...(JSON.parse(file.metadata) as OwnMetadata),
    name: file.path,
    bucket: config.storageBucket,
    generation: String(file.generation),
    metageneration: String(file.metageneration),
    contentType: file.type,
    size: String(file.size),
    timeCreated: new Date(file.created_at).toISOString(),
    updated: new Date(file.updated_at).toISOString(),
    ...(file.md5 !== null && { md5Hash: file.md5 }),
    etag: file.digest,
    downloadTokens: createDownloadToken(signing, file.id, credential),
    url: fileAddress(file.id, file.name),
  };
}

/** Where the storage protocol has a status of its own: those that a client must not retry (wire-protocols.md 2.7). */
const storageStatus: Partial<Record<string, number>> = {
  [wireName('resource-exhausted')]: 402,
  [wireName('out-of-range')]: 413,
};

export function answerStorageError(
  error: unknown,
  log: Logger,
): { http: number; body: { error: { code: number; message: string } } } {
  const answer = answerError(error, log);
  const http = storageStatus[answer.body.error.status] ?? answer.http;
  return { http, body: { error: { code: http, message: answer.body.error.message } } };
}
