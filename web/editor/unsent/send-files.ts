import { uploadFile } from '../../storage/client.ts';
import { forgetFile, type KeptFile, keepPlace, keptFiles } from '../../storage/kept-files.ts';
import { isPicture, paragraphOf } from '../files/paragraph.ts';
import { posterOf } from '../files/poster.ts';
import { type Arrived, type Upload, UploadQueue } from '../files/upload-queue.ts';
import { copyAt, type StoredCopy, storeCopy } from '../unsaved/browser-copy.ts';
import type { Draft } from '../unsaved/draft.ts';

/**
 * Uploads the files that a waiting post has in this browser, and returns its copy with them in their places.
 * What has arrived is stored at once, so that a connection lost again repeats none. Resolves with a sentence
 * for a file that cannot be sent, and with undefined if it is to be tried again.
 */
export async function sendFiles(
  copy: StoredCopy,
  signal: AbortSignal,
): Promise<StoredCopy | string | undefined> {
  const stored = new Map((await keptFiles(copy.key)).map(file => [file.id, file]));
  const listed = copy.files ?? [];
  const gone = listed.find(({ id }) => !stored.has(id));
  if (gone !== undefined) return `This browser no longer has the file ${gone.name}.`;
  const files = listed.flatMap(({ id }) => stored.get(id) ?? []);

  const ended = Promise.withResolvers<Upload | undefined>();
  let sent = copy;
  let storing = Promise.resolve();
  let before: KeptFile | undefined;
  const queue = new UploadQueue(
    {
      send: uploadFile,
      posterOf,
      onPlace: (id, place) => void keepPlace({ id, under: copy.key }, place),
    },
    uploads => {
      const failed = uploads.find(({ failure }) => failure !== undefined);
      if (failed !== undefined) ended.resolve(failed);
    },
  );
  const arrive = (file: KeptFile, arrived: Arrived) => {
    const left = (sent.files ?? []).filter(({ id }) => id !== file.id);
    sent = { ...sent, draft: withFile(sent.draft, file, arrived, before), files: left };
    before = file;
    const now = sent;
    storing = storing.then(async () => {
      // A logout deletes it.
      if (signal.aborted || (await copyAt(copy.key)) === undefined) return;
      await storeCopy(copy.key, now);
      await forgetFile(file);
    });
    if (left.length === 0) ended.resolve(undefined);
  };
  const leave = () => {
    queue.abandon();
    ended.resolve(undefined);
  };
  signal.addEventListener('abort', leave);
  for (const file of files) queue.add(file.file, arrived => arrive(file, arrived), file.isAttached, file);
  const failed = await ended.promise;
  signal.removeEventListener('abort', leave);
  queue.abandon();
  await storing;
  if (failed !== undefined) return failed.isFinal ? `${failed.name}: ${failed.failure}` : undefined;
  return signal.aborted ? undefined : sent;
}

/** The draft with an uploaded file: attached, or at the end of the text. */
function withFile(draft: Draft, kept: KeptFile, arrived: Arrived, before: KeptFile | undefined): Draft {
  const paragraph = kept.isAttached ? undefined : paragraphOf(kept.file, arrived);
  if (paragraph === undefined)
    return { ...draft, attachments: [...draft.attachments, { ...arrived, description: '' }] };
  const continues = before !== undefined && !before.isAttached && isPicture(before.file);
  const text = draft.content.trimEnd();
  const space = text === '' ? '' : continues && isPicture(kept.file) ? '\n' : '\n\n';
  return { ...draft, content: `${text}${space}${paragraph}` };
}
