import { z } from 'zod';
import { sameClock } from '../../../base/written-date.ts';
import type { DraftPost } from '../draft.ts';
import { takeTitle } from '../markdown/text.ts';
import type { FileTree } from '../media/tree.ts';
import { utcTime } from '../utc-time.ts';
import { firstWords } from '../words.ts';

const Medium = z.object({
  identifier: z.string(),
  /** Missing if the journal had not fetched the file from its cloud. */
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/i)
    .optional()
    .catch(undefined),
  /** The order of the media after an entry's text. */
  orderInEntry: z.number().default(0).catch(0),
});
/** Parsed one by one, so that one that cannot be read does not discard the others. */
const Media = z
  .array(z.unknown())
  .default([])
  .catch([])
  .transform(media => media.flatMap(one => Medium.safeParse(one).data ?? []));

/** The used fields of an entry in a journal's JSON export. */
export const Entry = z.object({
  uuid: z.string().min(1),
  /** Markdown. */
  text: z.string().default('').catch(''),
  creationDate: z.string().optional().catch(undefined),
  modifiedDate: z.string().optional().catch(undefined),
  /** Where it was written, such as `Europe/Berlin`. */
  timeZone: z.string().optional().catch(undefined),
  tags: z.array(z.string()).default([]).catch([]),
  photos: Media,
  videos: Media,
  audios: Media,
  pdfAttachments: Media,
});
export type Entry = z.output<typeof Entry>;

/** The context of reading entries. */
export type Reading = {
  journal: string;
  tree: FileTree;
  /** The paths of files, by the check sum that is their name. */
  places: ReadonlyMap<string, string>;
  ids: ReadonlySet<string>;
  /** That of the site. */
  timeZone: string;
};

/** A diary is private: an entry gets a tag of its journal, which no reader has (decision 32). */
export function entryPost(entry: Entry, { journal, tree, places, ids, timeZone }: Reading): DraftPost {
  const { heading, content } = takeTitle(textOf(entry), undefined);
  const date = utcTime(entry.creationDate);
  const editedAt = utcTime(entry.modifiedDate);
  // A diary records days: an entry stays on the day of its author's local time, wherever that was.
  const here = (time: number) =>
    entry.timeZone === undefined ? time : sameClock(time, entry.timeZone, timeZone);
  return {
    kind: 'post',
    id: `entries/${entry.uuid}`,
    title: heading,
    fallbackTitle: firstWords(content),
    description: undefined,
    content,
    isDraft: false,
    date: date === undefined ? undefined : here(date),
    ...(editedAt !== undefined &&
      date !== undefined &&
      editedAt > date + writingMs && { editedAt: here(editedAt) }),
    tags: entry.tags,
    audience: [`journal ${journal}`],
    comments: [],
    likes: [],
    isOwnAddress: address => moment.test(address) || view.test(address),
    findFile: async address => {
      const id = moment.exec(address)?.[1];
      if (id === undefined) return undefined;
      const md5 = mediaOf(entry).find(one => one.identifier === id)?.md5;
      const path = places.get(md5?.toLowerCase() ?? '') ?? places.get(id.toLowerCase());
      return (path && (await tree.find(path))) || { problem: 'is not in the export' };
    },
    findPost: address => {
      const id = view.exec(address)?.[1];
      return id !== undefined && ids.has(id) ? `entries/${id}` : undefined;
    },
    addresses: [],
    notes: [],
  };
}

/** A change within this time after creation is part of writing the entry, in milliseconds. */
const writingMs = 24 * 60 * 60_000;

/** Day One's addresses of an entry's file and of another entry. */
const moment = /^dayone-moment:\/(?:\/|(?:photo|video|audio|pdfAttachment)\/)([\w-]+)$/;
const view = /^dayone2?:\/\/view\?entryId=([\w-]+)$/;

const mediaOf = ({ photos, videos, audios, pdfAttachments }: Entry) => [
  ...photos,
  ...videos,
  ...audios,
  ...pdfAttachments,
];

/** The text of a link to a file other than a picture, by the kind in its address. */
const labels = { video: 'Video: recording', audio: 'Audio: recording', pdfAttachment: 'PDF' };
type Kind = keyof typeof labels;

const linkTo = (kind: Kind, id: string) => `[${labels[kind]}](dayone-moment:/${kind}/${id})`;

/** The text with videos, sounds and documents as links, followed by the media that it does not show. */
function textOf({ text: written, photos, videos, audios, pdfAttachments }: Entry): string {
  const text = written
    .replaceAll(
      /!\[([^\]]*)\]\((dayone-moment:\/(video|audio|pdfAttachment)\/[\w-]+)\)/g,
      (_, words: string, address: string, kind: Kind) => `[${words || labels[kind]}](${address})`,
    )
    .trim();
  const unseen = (media: Entry['photos'], markdownOf: (id: string) => string) =>
    media
      .filter(({ identifier }) => !text.includes(`/${identifier})`))
      .sort((a, b) => a.orderInEntry - b.orderInEntry)
      .map(({ identifier }) => markdownOf(identifier));
  const parts = [
    text,
    ...unseen(photos, id => `![](dayone-moment://${id})`),
    ...unseen(videos, id => linkTo('video', id)),
    ...unseen(audios, id => linkTo('audio', id)),
    ...unseen(pdfAttachments, id => linkTo('pdfAttachment', id)),
  ];
  return parts.filter(part => part !== '').join('\n\n');
}
