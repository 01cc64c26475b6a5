import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Outage, outages } from '../db/outage.ts';
import { isMissingBytes, missingBytes } from './missing-bytes.ts';
import type { FileStore } from './store.ts';

/** Bytes of a part: S3 takes none smaller, but for the last. */
const partBytes = 8 * 1024 * 1024;

/**
 * Files in an S3-compatible store: `s3://key:secret@host/bucket/prefix?region=eu-central-1`. Without a host it is
 * Amazon's own; `http=1` speaks plain http, for a store on the same machine. Without a key the environment's is used.
 */
export function s3Store(address: string): FileStore {
  const { client, bucket, prefix } = connect(address);
  const target = (key: string) => ({ Bucket: bucket, Key: `${prefix}${key}` });
  return {
    put: async (key, path) => {
      const Body = createReadStream(path, { highWaterMark: partBytes });
      const params = { ...target(key), Body };
      await reached(new Upload({ client, params, partSize: partBytes, queueSize: 2 }).done());
    },
    read: async function* (key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const command = new GetObjectCommand({ ...target(key), ...(Range && { Range }) });
      const { Body } = await reached(client.send(command));
      if (Body === undefined) throw missingBytes('The bytes of this file are gone.');
      // Under Node it is a stream of Node's, which is closed when reading ends early.
      yield* Body as Readable;
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
      let ContinuationToken: string | undefined;
      do {
        const from = { Bucket: bucket, Prefix: prefix, ...(ContinuationToken && { ContinuationToken }) };
        const page = await reached(client.send(new ListObjectsV2Command(from)));
        for (const { Key, LastModified } of page.Contents ?? []) {
          if (Key !== undefined)
            yield { key: Key.slice(prefix.length), storedAt: LastModified?.getTime() ?? 0 };
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },
  };
}

/** An answer of the store, or what it means that there is none. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NoSuchKey || error instanceof NotFound) {
      throw missingBytes('The bytes of this file are gone.');
    }
    throw new Outage(outages.store, error);
  }
}

function connect(address: string): { client: S3Client; bucket: string; prefix: string } {
  const url = new URL(address);
  const [bucket = '', ...folders] = url.pathname.slice(1).split('/');
  const prefix = folders.filter(Boolean).map(folder => `${folder}/`);
  const isPlain = url.searchParams.get('http') === '1';
  const client = new S3Client({
    region: url.searchParams.get('region') ?? 'us-east-1',
    // Many compatible stores know neither the checksums that Amazon's SDK adds nor buckets as host names.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(url.host !== '' && { endpoint: `${isPlain ? 'http' : 'https'}://${url.host}`, forcePathStyle: true }),
    ...(url.username !== '' && {
      credentials: {
        accessKeyId: decodeURIComponent(url.username),
        secretAccessKey: decodeURIComponent(url.password),
      },
    }),
  });
  return { client, bucket, prefix: prefix.join('') };
}
