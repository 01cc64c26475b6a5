import { AppError } from '../../../../contract/errors.ts';
import type { DraftFile, DraftItem, Source } from '../draft.ts';
import { readJsonRecords } from '../json-items.ts';
import { type FileTree, openFileTree } from '../media/tree.ts';
import { orRefused } from '../refused.ts';
import { Activity } from './note.ts';
import { postOf } from './post.ts';

/** The contents of an archive, counted. */
type Outbox = {
  tree: FileTree;
  folder: string;
  file: DraftFile;
  notes: Set<string>;
  boosts: number;
  replies: number;
};

/**
 * The archive of a Mastodon account, a zip file or unpacked. Throws not-found without an outbox, and
 * invalid-argument for a damaged one.
 */
export async function mastodonSource(path: string): Promise<Source> {
  const tree = await openFileTree(path);
  try {
    const outbox = await openOutbox(tree, path);
    return {
      name: `mastodon:${ownerOf(outbox)}`,
      total: outbox.notes.size - outbox.replies,
      items: () => itemsOf(outbox),
      leftBehind: [
        ...(outbox.boosts > 0 ? [`Boosts of others’ posts (${outbox.boosts})`] : []),
        ...(outbox.replies > 0 ? [`Replies to others (${outbox.replies})`] : []),
        'Followers, those who were followed, favourites, bookmarks, lists and filters',
      ],
      close: () => tree.close(),
    };
  } catch (error) {
    await tree.close();
    throw error;
  }
}

async function openOutbox(tree: FileTree, path: string): Promise<Outbox> {
  const name = (await tree.paths()).find(one => /(?:^|\/)outbox\.json$/.test(one));
  const file = name === undefined ? undefined : await tree.find(name);
  if (name === undefined || file === undefined)
    throw new AppError('not-found', `There is no outbox.json of a Mastodon archive in ${path}.`);
  const outbox = {
    tree,
    file,
    folder: name.slice(0, -'outbox.json'.length),
    notes: new Set<string>(),
    boosts: 0,
    replies: 0,
  };
  const answers: string[] = [];
  for await (const activity of activitiesIn(file)) {
    if (activity.type === 'Announce') outbox.boosts += 1;
    else {
      outbox.notes.add(activity.object.id);
      if (activity.object.inReplyTo) answers.push(activity.object.inReplyTo);
    }
  }
  outbox.replies = answers.filter(answered => !outbox.notes.has(answered)).length;
  return outbox;
}

const activitiesIn = (file: DraftFile) => readJsonRecords(file.read(), '$.orderedItems.*', Activity);

async function* itemsOf(outbox: Outbox): AsyncGenerator<DraftItem> {
  for await (const activity of activitiesIn(outbox.file)) {
    if (activity.type === 'Announce') continue;
    const note = activity.object;
    const isReply = note.inReplyTo && !outbox.notes.has(note.inReplyTo);
    if (!isReply) yield await orRefused(note.id, () => postOf(note, outbox));
  }
}

/** The account, from the address of any of its posts (`https://social.example/users/mina/statuses/1`). */
function ownerOf({ notes }: Outbox): string {
  const [first = ''] = notes;
  return first.replace(/\/statuses\/.*$/s, '').replace(/^https?:\/\//, '') || 'archive';
}
