import { basename } from 'node:path/posix';
import { AppError } from '../../../../contract/errors.ts';
import type { DraftFile, DraftItem, Source } from '../draft.ts';
import { readJsonRecords } from '../json-items.ts';
import { openFileTree } from '../media/tree.ts';
import { orRefused } from '../refused.ts';
import { Entry, entryPost, type Reading } from './entry.ts';

type Journal = { name: string; file: DraftFile };

/**
 * Journals of Day One: the zip file of its JSON export, or unpacked; a journal is a JSON file beside the
 * folders of its media. Throws not-found if there is none, and invalid-argument for a damaged one. Entries
 * keep their local date and hour in `timeZone`.
 */
export async function dayOneSource(path: string, timeZone: string): Promise<Source> {
  const tree = await openFileTree(path);
  try {
    const journals: Journal[] = [];
    for (const name of await tree.paths()) {
      // Not among the media: an export can be unpacked into folders of its own, and packed again with them.
      const file = /^(?:[^/]+\/){0,3}[^/]+\.json$/i.test(name) ? await tree.find(name) : undefined;
      if (file !== undefined) journals.push({ name: basename(name).replace(/\.json$/i, ''), file });
    }
    const ids = new Set<string>();
    for (const journal of journals) for await (const entry of entriesIn(journal)) ids.add(entry.uuid);
    if (ids.size === 0) throw new AppError('not-found', `There is no journal of Day One in ${path}.`);
    return {
      name: 'dayone',
      // Journals of two people may have one name.
      unsure: {
        kind: 'dayone',
        ids: [...ids].map(id => `entries/${id}`),
        posts: wanted => itemsOf(journals, { tree, ids, timeZone }, wanted),
      },
      total: ids.size,
      items: () => itemsOf(journals, { tree, ids, timeZone }),
      leftBehind: ['Places, weather, steps and music of entries; stars, templates and reminders'],
      close: () => tree.close(),
    };
  } catch (error) {
    await tree.close();
    throw error;
  }
}

const entriesIn = ({ file }: Journal) => readJsonRecords(file.read(), '$.entries.*', Entry);

async function* itemsOf(
  journals: readonly Journal[],
  reading: Pick<Reading, 'tree' | 'ids' | 'timeZone'>,
  wanted?: ReadonlySet<string>,
): AsyncGenerator<DraftItem> {
  const places = new Map(
    (await reading.tree.paths()).map(path => [basename(path).replace(/\..*$/s, '').toLowerCase(), path]),
  );
  for (const journal of journals) {
    for await (const entry of entriesIn(journal)) {
      if (wanted !== undefined && !wanted.has(`entries/${entry.uuid}`)) continue;
      yield await orRefused(`entries/${entry.uuid}`, () =>
        entryPost(entry, { ...reading, journal: journal.name, places }),
      );
    }
  }
}
