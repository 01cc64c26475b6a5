import { createReadStream } from 'node:fs';
import { open, opendir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import type { FirebaseParameters } from '../../accounts/imported-passwords.ts';
import { readAuthExport, type SignIn } from './auth-export.ts';
import { Documents } from './documents.ts';
import { type Document, readEntity } from './entity.ts';
import { readJsonDump, readLines } from './json-dump.ts';
import { readLog } from './leveldb-log.ts';

type Kind = 'managed' | 'nested' | 'collections' | 'lines' | 'auth' | 'auth-csv';

/** What a folder with exports of a Firebase project holds. */
export type Project = {
  /** Its id, where an export says it. */
  name: string | undefined;
  documents: Documents;
  /** By the id of the account; undefined where the folder has no export of sign-ins. */
  signIns: Map<string, SignIn> | undefined;
};

/**
 * Reads every export in a folder, whatever the tools and the folders call them. Throws not-found where there is none, and
 * invalid-argument, with the file, for one that is damaged: half of a project is not imported as if it were all.
 */
export async function readProject(
  folder: string,
  parameters: FirebaseParameters | undefined,
): Promise<Project> {
  const documents = new Documents();
  const signIns = new Map<string, SignIn>();
  let hasDocuments = false;
  let hasSignIns = false;
  let name: string | undefined;
  try {
    for await (const { path, kind } of exportsIn(folder)) {
      try {
        if (kind === 'auth-csv') {
          throw new AppError(
            'invalid-argument',
            'Sign-ins are read as JSON: use `firebase auth:export accounts.json`.',
          );
        }
        if (kind === 'auth') {
          hasSignIns = true;
          for await (const one of readAuthExport(createReadStream(path), parameters))
            signIns.set(one.id, one);
          continue;
        }
        for await (const document of documentsOf(path, kind)) {
          hasDocuments = true;
          name ??= document.project;
          documents.add(document);
        }
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new AppError(error.code, `${relative(folder, path)} cannot be imported. ${error.message}`);
      }
    }
    if (!hasDocuments) {
      throw new AppError('not-found', `There is no export of Firestore in ${folder}.`);
    }
    return { name, documents, signIns: hasSignIns ? signIns : undefined };
  } catch (error) {
    documents.close();
    throw error;
  }
}

async function* documentsOf(
  path: string,
  kind: Exclude<Kind, 'auth' | 'auth-csv'>,
): AsyncGenerator<Document> {
  if (kind === 'lines') yield* readLines(path);
  else if (kind !== 'managed') yield* readJsonDump(path, kind === 'nested');
  else for await (const record of readLog(createReadStream(path))) yield readEntity(record);
}

/** Folders that hold no documents: a copy of the bucket may hold anything. */
const skipped = new Set(['storage_export', 'node_modules', 'blobs']);
/** Files that the tools write beside their exports. */
const beside = new Set([
  'buckets.json',
  'config.json',
  'firebase-export-metadata.json',
  'firebase.json',
  'firestore.indexes.json',
  'package.json',
  'package-lock.json',
]);
const maxDepth = 8;

async function* exportsIn(folder: string, depth = 0): AsyncGenerator<{ path: string; kind: Kind }> {
  const entries: { path: string; isFolder: boolean; isFile: boolean }[] = [];
  for await (const entry of await opendir(folder)) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    entries.push({ path, isFolder: entry.isDirectory(), isFile: entry.isFile() });
  }
  for (const { path, isFolder, isFile } of entries.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (isFolder && depth < maxDepth && !skipped.has(basename(path))) yield* exportsIn(path, depth + 1);
    if (!isFile) continue;
    const kind = await kindOf(path);
    if (kind !== undefined) yield { path, kind };
  }
}

async function kindOf(path: string): Promise<Kind | undefined> {
  const name = basename(path);
  if (/^output-\d+$/.test(name)) return 'managed';
  if (/\.(?:ndjson|jsonl|snapshot)$/i.test(name)) return 'lines';
  if (/^(?:accounts|users|auth).*\.csv$/i.test(name)) return 'auth-csv';
  if (!/\.json$/i.test(name) || beside.has(name)) return undefined;
  const head = await headOf(path);
  if (/^\s*\{\s*(?:"kind"\s*:\s*"identitytoolkit#[^"]*"\s*,\s*)?"users"\s*:\s*\[/.test(head)) return 'auth';
  if (/^\s*\{\s*"__collections__"/.test(head)) return 'nested';
  // A dump that names the path of each document; otherwise collections with documents in them.
  if (/^\s*\{\s*"path"\s*:\s*"[^"]+"\s*,\s*"data"\s*:/.test(head)) return 'lines';
  return /^\s*\{\s*"[^"]+"\s*:\s*\{/.test(head) ? 'collections' : undefined;
}

async function headOf(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(1_024), 0, 1_024, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
