import { AppError } from '../../../contract/errors.ts';
import type { ImportSource } from '../../../contract/transfer-sources.ts';
import { dayOneSource } from '../import/dayone/source.ts';
import type { Source } from '../import/draft.ts';
import { ghostSource } from '../import/ghost/source.ts';
import { markdownSource } from '../import/markdown/source.ts';
import { mastodonSource } from '../import/mastodon/source.ts';
import { wordpressSource } from '../import/wordpress/source.ts';

/** An uploaded file on the disk of this process: its slot in the form, and its original name. */
export type SourceFile = { slot: string; name: string; path: string };

type Slots = {
  all(slot: string): string[];
  one(slot: string): string;
  optional(slot: string): string | undefined;
};

const sources: Record<ImportSource, (slots: Slots, timeZone: string) => Promise<Source>> = {
  markdown: ({ one }, timeZone) => markdownSource(one('archive'), timeZone, { isUpload: true }),
  wordpress: ({ all, optional }, timeZone) =>
    wordpressSource({ files: all('export'), media: optional('media'), users: optional('users'), timeZone }),
  ghost: ({ one, optional }) =>
    ghostSource({ file: one('export'), images: optional('images'), members: optional('members') }),
  mastodon: ({ one }) => mastodonSource(one('archive')),
  dayone: ({ one }, timeZone) => dayOneSource(one('archive'), timeZone),
};

/** Opens the uploaded files. Throws as the source does: not-found and invalid-argument. */
export async function openSource(
  what: string,
  files: readonly SourceFile[],
  timeZone: string,
): Promise<Source> {
  const all = (slot: string) => files.filter(file => file.slot === slot).map(file => file.path);
  const optional = (slot: string) => all(slot)[0];
  const one = (slot: string) => {
    const path = optional(slot);
    if (path === undefined) throw new AppError('not-found', `The file “${slot}” is no longer there.`);
    return path;
  };
  return await sources[what as ImportSource]({ all, one, optional }, timeZone);
}
