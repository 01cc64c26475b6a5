import { stat } from 'node:fs/promises';
import { AppError } from '../../../contract/errors.ts';
import type { FirebaseParameters } from '../../accounts/imported-passwords.ts';
import type { DraftItem, Source } from '../draft.ts';
import type { Documents } from './documents.ts';
import { listField, stringsIn, textField } from './fields.ts';
import { type Project, readProject } from './folder.ts';
import { readPeople } from './people.ts';
import { readPost } from './posts.ts';

type FirebaseOptions = {
  /** Where the exports are, at any depth. */
  folder: string;
  /** By which the project's passwords are hashed; without them, accounts come without passwords. */
  parameters?: FirebaseParameters | undefined;
  /** A copy of the bucket. */
  storage?: string | undefined;
};

/**
 * A Firebase project of the product that this one is made after: its collections are those of the specification (section
 * 3). Ids stay, so that links and programs go on. Throws not-found and invalid-argument as `readProject` does.
 */
export async function firebaseSource({ folder, parameters, storage }: FirebaseOptions): Promise<Source> {
  for (const needed of [folder, storage]) {
    if (needed === undefined) continue;
    const found = await stat(needed).catch(() => undefined);
    if (!found?.isDirectory()) throw new AppError('not-found', `There is no folder ${needed}.`);
  }
  const project = await readProject(folder, parameters);
  return {
    name: `firebase:${project.name ?? 'project'}`,
    total: totalOf(project),
    items: () => itemsOf(project, storage),
    leftBehind: leftBehind(project, parameters),
  };
}

function totalOf({ documents, signIns }: Project): number {
  const counts = new Map(documents.count().map(({ collection, documents: count }) => [collection, count]));
  return Math.max(counts.get('users') ?? 0, signIns?.size ?? 0) + 1 + (counts.get('posts') ?? 0);
}

async function* itemsOf(project: Project, storage: string | undefined): AsyncGenerator<DraftItem> {
  const { documents } = project;
  try {
    yield readSettings(documents);
    yield* readPeople(project);
    for (const { id, fields } of documents.in('posts')) yield readPost(documents, id, fields, storage);
  } finally {
    documents.close();
  }
}

function readSettings(documents: Documents): DraftItem {
  const defaults = documents.at('settings', 'defaultPermissions');
  const about = documents.at('settings', 'about');
  const names = [...documents.in('tags')].flatMap(({ fields }) => textField(fields, 'name') ?? []);
  return {
    kind: 'settings',
    about: about && textField(about, 'content'),
    defaultAudience: stringsIn(defaults && listField(defaults, 'tags')),
    audienceNames: names,
  };
}

/** Collections that have their place here. */
const known = new Set([
  'posts',
  'posts/likes',
  'posts/comments',
  'users',
  'tags',
  'settings',
  'subscriptions',
]);

function leftBehind({ documents, signIns }: Project, parameters: FirebaseParameters | undefined): string[] {
  const others = documents.count().filter(({ collection }) => !known.has(collection));
  return [
    ...others.map(({ collection, documents: count }) => `The collection ${collection} (${count})`),
    ...(signIns === undefined
      ? [
          'Sign-ins: the folder has no `firebase auth:export accounts.json`, so everybody needs a link that sets a password',
        ]
      : []),
    ...(signIns !== undefined && parameters === undefined
      ? ['Passwords: without --hash-config everybody needs a link that sets a new one']
      : []),
    'Sessions, sign-ins by Google and others, and second factors',
    'Functions, security rules, analytics and messages of the project',
  ];
}
