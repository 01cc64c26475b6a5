import type { Logger } from 'pino';
import { moment } from '../../../contract/date.ts';
import { AppError, wireName } from '../../../contract/errors.ts';
import type { StorageMetadata } from '../../../contract/files.ts';
import type { Identity } from '../../access/viewer.ts';
import type { FileRow } from '../../db/tables.ts';
import type { Deps } from '../../deps.ts';
import { fileAddress } from '../../files/address.ts';
import { createDownloadToken } from '../../files/download-token.ts';
import type { OwnMetadata } from '../../files/pictures/metadata.ts';
import { answerError } from '../../http/errors.ts';
import { rawResponse } from '../../http/responses.ts';

/**
 * The description of a file for somebody who may read it. It contains a token that opens the file with their
 * rights for an hour.
 */
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
    timeCreated: moment(file.created_at),
    updated: moment(file.updated_at),
    ...(file.md5 !== null && { md5Hash: file.md5 }),
    etag: file.digest,
    downloadTokens: createDownloadToken(signing, file.id, credential),
    url: fileAddress(file.id, file.name),
  };
}

/** The storage protocol's own statuses: errors that a client must not retry (wire-protocols.md 2.7). */
const storageStatus: Partial<Record<string, number>> = {
  [wireName('resource-exhausted')]: 402,
  [wireName('out-of-range')]: 413,
};

export function storageFailure(error: unknown, log: Logger): Response {
  const { http, body, headers } = answerError(ofRequest(error), log);
  const { status, message } = body.error;
  const code = storageStatus[status] ?? http;
  const json = JSON.stringify({ error: { code, message } });
  return rawResponse(json, code, { ...headers, 'content-type': 'application/json' });
}

/** An error because the client has closed the connection is no bug of ours. */
function ofRequest(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isCut = ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR', 'ECONNABORTED'].includes(code);
  return isCut ? new AppError('cancelled', 'The connection was lost.') : error;
}
