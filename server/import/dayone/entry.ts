import { z } from 'zod';
import { readWrittenDate } from '../../written-date.ts';
import type { DraftPost } from '../draft.ts';
import { takeTitle } from '../markdown/text.ts';
import type { FileTree } from '../media/tree.ts';
import { firstWords } from '../words.ts';

const Media = z
  .array(
    z.object({
      identifier: z.string(),
      md5: z.string().regex(/^[0-9a-f]{32}$/i),
      /** Where the media of an entry stand in a row, after its text. */
      orderInEntry: z.number().default(0).catch(0),
    }),
  )
  .default([])
  .catch([]);

/** An entry of a journal's JSON export, as far as it is of use here. */
export const Entry = z.object({
  uuid: z.string().min(1),
  /** Markdown. */
  text: z.string().default('').catch(''),
  creationDate: z.string().optional().catch(undefined),
  modifiedDate: z.string().optional().catch(undefined),
  tags: z.array(z.string()).default([]).catch([]),
  photos: Media,
  videos: Media,
  audios: Media,
  pdfAttachments: Media,
});
export type Entry = z.output<typeof Entry>;

type Context = {
  journal: string;
  tree: FileTree;
  /** Where files are, by the check sum that is their name. */
  places: ReadonlyMap<string, string>;
  ids: ReadonlySet<string>;
};

/**
 * A diary is private: an entry gets a tag of its journal, which no reader has (decisions.md 32).
 */
export function entryPost(entry: Entry, { journal, tree, places, ids }: Context): DraftPost {
  const { heading, content } = takeTitle(textOf(entry), undefined);
  const date = timeOf(entry.creationDate);
  const editedAt = timeOf(entry.modifiedDate);
  return {
    kind: 'post',
    id: `entries/${entry.uuid}`,
    title: heading,
    fallbackTitle: firstWords(content),
    description: undefined,
    content,
    isDraft: false,
    date,
    ...(editedAt !== undefined && date !== undefined && editedAt > date + writingMs && { editedAt }),
    tags: entry.tags,
    audience: [`journal ${journal}`],
    comments: [],
    likes: [],
    isOwnAddress: address => moment.test(address) || view.test(address),
    findFile: async address => {
      const id = moment.exec(address)?.[1];
      if (id === undefined) return undefined;
      const md5 = mediaOf(entry)
        .find(one => one.identifier === id)
        ?.md5.toLowerCase();
      const path = places.get(md5 ?? '');
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

/** A change within this time of creation is part of writing the entry, in milliseconds. */
const writingMs = 24 * 60 * 60_000;

/** What Day One writes for a file of an entry, and for another entry. */
const moment = /^dayone-moment:\/(?:\/|(?:photo|video|audio|pdfAttachment)\/)([\w-]+)$/;
const view = /^dayone2?:\/\/view\?entryId=([\w-]+)$/;

const mediaOf = ({ photos, videos, audios, pdfAttachments }: Entry) => [
  ...photos,
  ...videos,
  ...audios,
  ...pdfAttachments,
];

/** The text with films, sounds and documents as links, and what it does not show itself at its end. */
function textOf(entry: Entry): string {
  const labels = { video: 'Video: film', audio: 'Audio: recording', pdfAttachment: 'PDF' } as const;
  const text = entry.text
    .replaceAll(
      /!\[([^\]]*)\]\((dayone-moment:\/(video|audio|pdfAttachment)\/[\w-]+)\)/g,
      (_, words: string, address: string, kind: keyof typeof labels) =>
        `[${words || labels[kind]}](${address})`,
    )
    .trim();
  const shown = (id: string) => text.includes(`/${id})`);
  const inRow = (media: Entry['photos']) => media.toSorted((a, b) => a.orderInEntry - b.orderInEntry);
  const rest = [
    ...inRow(entry.photos).map(
      ({ identifier }) => [identifier, `![](dayone-moment://${identifier})`] as const,
    ),
    ...inRow(entry.videos).map(
      ({ identifier }) => [identifier, `[${labels.video}](dayone-moment:/video/${identifier})`] as const,
    ),
    ...inRow(entry.audios).map(
      ({ identifier }) => [identifier, `[${labels.audio}](dayone-moment:/audio/${identifier})`] as const,
    ),
    ...inRow(entry.pdfAttachments).map(
      ({ identifier }) =>
        [identifier, `[${labels.pdfAttachment}](dayone-moment:/pdfAttachment/${identifier})`] as const,
    ),
  ];
  return [text, ...rest.filter(([id]) => !shown(id)).map(([, markdown]) => markdown)]
    .filter(part => part !== '')
    .join('\n\n');
}

const timeOf = (written: string | undefined) =>
  written === undefined ? undefined : readWrittenDate(written, 'UTC');
