import { AppError } from '../../../../contract/errors.ts';
import type { FirebaseParameters } from '../../../accounts/sign-in/imported-passwords.ts';
import type { DraftItem, Source, UnsureSource } from '../draft.ts';
import { type FileTree, openFileTree } from '../media/tree.ts';
import { Documents } from './documents.ts';
import { listField, stringsIn, textField } from './fields.ts';
import { type Project, readProject } from './folder.ts';
import { readPeople } from './people.ts';
import { readPost } from './posts.ts';

type FirebaseOptions = {
  /** Contains the exports, at any depth of a folder or a zip archive. */
  folder: string;
  /** Used to hash the project's passwords; without them, accounts are imported without passwords. */
  parameters?: FirebaseParameters | undefined;
  /** A copy of the bucket, a folder or a zip archive. */
  storage?: string | undefined;
};

/**
 * A Firebase project of the product that this one is modelled on: its collections are those of the
 * specification (section 3). Ids stay, so that links and programs keep working. Throws not-found, and
 * invalid-argument as `readProject` does.
 */
export async function firebaseSource({ folder, parameters, storage }: FirebaseOptions): Promise<Source> {
  await using opened = new AsyncDisposableStack();
  const documents = opened.adopt(new Documents(), one => one.close());
  const openTree = async (path: string) => opened.adopt(await openFileTree(path), tree => tree.close());
  const bucket = storage === undefined ? undefined : await openTree(storage);
  const project = await readProject(await openTree(folder), documents, parameters);
  const counts = documents.count();
  if (counts.size === 0) throw new AppError('not-found', `There is no export of Firestore in ${folder}.`);
  const people = Math.max(counts.get('users') ?? 0, project.signIns?.size ?? 0);
  // From here on it is closed with the source; if something above failed, with this function.
  const open = opened.move();
  return {
    name: `firebase:${project.name ?? 'project'}`,
    unsure: project.name === undefined ? unsureProject(project, bucket) : undefined,
    total: people + 1 + (counts.get('posts') ?? 0),
    items: () => itemsOf(project, bucket),
    leftBehind: leftBehind(project, parameters),
    close: () => open.disposeAsync(),
  };
}

/** A dump that does not name its project. */
function unsureProject({ documents }: Project, bucket: FileTree | undefined): UnsureSource {
  const ids = [...documents.in('posts')].map(({ id }) => `posts/${id}`);
  return {
    kind: 'firebase',
    ids,
    posts: async function* (wanted) {
      for (const { id, fields } of documents.in('posts'))
        if (wanted.has(`posts/${id}`)) yield readPost(documents, id, fields, bucket);
    },
  };
}

async function* itemsOf(project: Project, bucket: FileTree | undefined): AsyncGenerator<DraftItem> {
  const { documents } = project;
  yield readSettings(documents);
  yield* readPeople(project);
  for (const { id, fields } of documents.in('posts')) yield readPost(documents, id, fields, bucket);
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

/** Collections that are imported. */
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
  const others = [...documents.count()].filter(([collection]) => !known.has(collection));
  return [
    ...others.map(([collection, count]) => `The collection ${collection} (${count})`),
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
