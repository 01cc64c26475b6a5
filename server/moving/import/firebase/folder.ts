import { AppError } from '../../../../contract/errors.ts';
import type { FirebaseParameters } from '../../../accounts/sign-in/imported-passwords.ts';
import type { DraftFile } from '../draft.ts';
import { type FileTree, headOfDraftFile } from '../media/tree.ts';
import { readAuthExport, type SignIn } from './auth-export.ts';
import type { Documents } from './documents.ts';
import { type Document, readEntity } from './entity.ts';
import { readJsonDump, readLines } from './json-dump.ts';
import { readLog } from './leveldb-log.ts';

type Kind = 'managed' | 'nested' | 'collections' | 'lines' | 'auth' | 'auth-csv';

/** The contents of a Firebase project's exports. */
export type Project = {
  /** Its id, if an export has it. */
  name: string | undefined;
  documents: Documents;
  /** By the id of the account; undefined without an export of sign-ins. */
  signIns: Map<string, SignIn> | undefined;
};

/**
 * Reads every export in a tree, whatever its tools and folders are called, its documents into `documents`.
 * Throws invalid-argument, with the file, for a damaged export: half of a project is not imported as if it
 * were complete.
 */
export async function readProject(
  tree: FileTree,
  documents: Documents,
  parameters: FirebaseParameters | undefined,
): Promise<Project> {
  const project: Project = { name: undefined, documents, signIns: undefined };
  for await (const { path, file, kind } of exportsIn(tree)) {
    try {
      if (kind === 'auth-csv') {
        throw new AppError(
          'invalid-argument',
          'Sign-ins are read as JSON: use `firebase auth:export accounts.json`.',
        );
      }
      if (kind === 'auth') {
        project.signIns ??= new Map();
        for await (const one of readAuthExport(file.read(), parameters))
          project.signIns.set(one.localId, one);
      } else {
        for await (const document of documentsOf(file, kind)) {
          project.name ??= document.project;
          documents.add(document);
        }
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new AppError(error.code, `${path} cannot be imported. ${error.message}`);
    }
  }
  return project;
}

async function* documentsOf(
  file: DraftFile,
  kind: Exclude<Kind, 'auth' | 'auth-csv'>,
): AsyncGenerator<Document> {
  if (kind === 'lines') yield* readLines(file.read());
  else if (kind !== 'managed') yield* readJsonDump(file.read(), kind === 'nested');
  else for await (const record of readLog(file.read())) yield readEntity(record);
}

/** Folders without documents: a copy of the bucket may contain anything. */
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

async function* exportsIn(tree: FileTree): AsyncGenerator<{ path: string; file: DraftFile; kind: Kind }> {
  for (const path of await tree.paths(name => !name.startsWith('.') && !skipped.has(name))) {
    const file = await tree.find(path);
    const kind = file && (await kindOf(file));
    if (file !== undefined && kind !== undefined) yield { path, file, kind };
  }
}

async function kindOf(file: DraftFile): Promise<Kind | undefined> {
  const { name } = file;
  if (/^output-\d+$/.test(name)) return 'managed';
  if (/\.(?:ndjson|jsonl|snapshot)$/i.test(name)) return 'lines';
  if (/^(?:accounts|users|auth).*\.csv$/i.test(name)) return 'auth-csv';
  if (!/\.json$/i.test(name) || beside.has(name)) return undefined;
  const head = (await headOfDraftFile(file, 1_024)).toString();
  if (/^\s*\{\s*(?:"kind"\s*:\s*"identitytoolkit#[^"]*"\s*,\s*)?"users"\s*:\s*\[/.test(head)) return 'auth';
  if (/^\s*\{\s*"__collections__"/.test(head)) return 'nested';
  // A dump with the path of each document; otherwise collections of documents.
  if (/^\s*\{\s*"path"\s*:\s*"[^"]+"\s*,\s*"data"\s*:/.test(head)) return 'lines';
  return /^\s*\{\s*"[^"]+"\s*:\s*\{/.test(head) ? 'collections' : undefined;
}
