import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  type _Object,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  NoSuchKey,
  NotFound,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { ConfigError } from '../../base/config-error.ts';
import { Outage, outages } from '../../db/outage.ts';
import { requireKey } from '../address.ts';
import { forEachConcurrent } from './for-each-concurrent.ts';
import { isMissingBytes, missingBytes } from './missing-bytes.ts';
import type { FileStore } from './store.ts';

/** Bytes of a part: S3 accepts none smaller, except the last. */
const partBytes = 8 * 1024 * 1024;

/**
 * How long the store may take, in milliseconds. A stalled store would hold up the requests that wait for it,
 * and their connections.
 */
type Patience = {
  /** To accept a connection. */
  connectMs: number;
  /** To begin an answer, and between two bytes of it; to accept the next bytes of an upload. */
  answerMs: number;
  /** To accept a part of an upload over a slow line. */
  partMs: number;
};
const defaultPatience: Patience = { connectMs: 3_000, answerMs: 10_000, partMs: 300_000 };

/**
 * Files in an S3-compatible store: `s3://key:secret@host/bucket/prefix?region=eu-central-1`. Without a host
 * it is Amazon's; `http=1` uses plain http, for a store on the same machine. Without a key the environment's
 * is used.
 */
export function s3Store(address: string, patience = defaultPatience): FileStore {
  const { client, uploading, bucket, prefix, place } = connect(address, patience);
  const target = (key: string) => ({ Bucket: bucket, Key: `${prefix}${requireKey(key)}` });
  const put = async (key: string, path: string) => {
    const Body = createReadStream(path, { highWaterMark: partBytes });
    const params = { ...target(key), Body };
    await reached(new Upload({ client: uploading, params, partSize: partBytes, queueSize: 2 }).done());
  };
  return {
    put,
    putMany: files => forEachConcurrent(files, ({ key, path }) => put(key, path)),
    read: async function* (key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const command = new GetObjectCommand({ ...target(key), ...(Range && { Range }) });
      const { Body } = await reached(client.send(command));
      if (Body === undefined) throw missingBytes('The content of this file is missing.');
      yield* withoutStalls(Body as Readable, patience.answerMs);
    },
    check: async () => {
      try {
        await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }));
      } catch (error) {
        const isRefused = error instanceof S3ServiceException && error.$fault === 'client';
        if (!isRefused) throw new Outage(outages.store, error);
        throw new ConfigError(
          `FILES_URL: ${place} refuses the bucket, the key or the region: ${error.name}.`,
        );
      }
    },
    remove: async key => {
      await reached(client.send(new DeleteObjectCommand(target(key))));
    },
    size: async key => {
      try {
        return (await reached(client.send(new HeadObjectCommand(target(key))))).ContentLength;
      } catch (error) {
        if (isMissingBytes(error)) return undefined;
        throw error;
      }
    },
    list: async function* () {
      for await (const { Key, LastModified } of listed(client, { Bucket: bucket, Prefix: prefix })) {
        if (Key !== undefined)
          yield { key: Key.slice(prefix.length), storedAt: LastModified?.getTime() ?? 0 };
      }
    },
  };
}

/** All objects, page after page. Throws an outage if the store repeats a page, which would never end. */
async function* listed(client: S3Client, what: ListObjectsV2CommandInput): AsyncGenerator<_Object> {
  const tokens = new Set<string>();
  for (let token: string | undefined; ; ) {
    const from = { ...what, ...(token && { ContinuationToken: token }) };
    const page = await reached(client.send(new ListObjectsV2Command(from)));
    yield* page.Contents ?? [];
    token = page.NextContinuationToken;
    // Some stores send an empty token on the last page.
    if (!token) return;
    if (tokens.has(token))
      throw new Outage(outages.store, new Error('The store lists the same files again.'));
    tokens.add(token);
  }
}

/**
 * The bytes of an answer. Throws an outage if the next ones do not arrive. A slow reader is no reason: only
 * the wait for the store's next bytes counts. The stream is one of Node's, which is closed when reading ends
 * early.
 */
async function* withoutStalls(body: Readable, withinMs: number): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(
        () => body.destroy(new Error('The store has stopped in the middle.')),
        withinMs,
      );
      const { done, value } = await reached(chunks.next()).finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    body.destroy();
  }
}

/** The store's answer, or the error that describes why there is none. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) {
      throw missingBytes('The content of this file is missing.');
    }
    throw new Outage(outages.store, error);
  }
}

function connect(address: string, { connectMs, answerMs, partMs }: Patience) {
  const url = new URL(address);
  const [bucket = '', ...folders] = url.pathname.slice(1).split('/');
  const prefix = folders.filter(Boolean).map(folder => `${folder}/`);
  const isPlain = url.searchParams.get('http') === '1';
  const settings: S3ClientConfig = {
    maxAttempts: 2,
    region: url.searchParams.get('region') ?? 'us-east-1',
    // Many compatible stores support neither the checksums that Amazon's SDK adds nor buckets as host names.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(url.host !== '' && { endpoint: `${isPlain ? 'http' : 'https'}://${url.host}`, forcePathStyle: true }),
    ...(url.username !== '' && {
      credentials: {
        accessKeyId: decodeURIComponent(url.username),
        secretAccessKey: decodeURIComponent(url.password),
      },
    }),
  };
  const handler = { connectionTimeout: connectMs, throwOnRequestTimeout: true };
  return {
    client: new S3Client({ ...settings, requestHandler: { ...handler, requestTimeout: answerMs } }),
    // A part may take minutes over a slow line, as long as its bytes keep moving.
    uploading: new S3Client({
      ...settings,
      requestHandler: { ...handler, requestTimeout: partMs, socketTimeout: answerMs },
    }),
    bucket,
    prefix: prefix.join(''),
    place: `${url.host || 'Amazon S3'}/${bucket}`,
  };
}
