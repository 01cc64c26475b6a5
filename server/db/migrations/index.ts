import type { Kysely } from 'kysely';
import * as start from './0001-start.ts';
import * as files from './0002-files.ts';
import * as comments from './0004-comments.ts';
import * as admin from './0005-admin.ts';
import * as editor from './0006-editor.ts';
import * as storage from './0007-files.ts';
import * as accounts from './0008-accounts.ts';
import * as tokenUse from './0011-token-use.ts';
import * as search from './0020-search.ts';
import * as emailLinks from './0021-email-links.ts';
import * as denials from './0022-denials.ts';
import * as imports from './0023-imports.ts';
import * as changes from './0024-changes.ts';
import * as uploadParts from './0025-upload-parts.ts';
import * as readable from './0026-readable.ts';
import * as history from './0027-history.ts';
import * as mailStates from './0028-mail-states.ts';
import * as rareWords from './0029-rare-words.ts';
import * as withheldTags from './0030-withheld-tags.ts';
import * as scopes from './0031-scopes.ts';
import * as invitations from './0032-invitations.ts';
import * as notices from './0033-notices.ts';
import * as introductions from './0034-introductions.ts';
import * as signInLinks from './0035-sign-in-links.ts';
import * as passkeys from './0036-passkeys.ts';
import * as authors from './0037-authors.ts';
import * as secondFactors from './0038-second-factors.ts';
import * as transfers from './0039-transfers.ts';
import * as sessionLength from './0040-session-length.ts';
import * as authorsOfCombinations from './0041-authors-of-combinations.ts';

type NumberedMigration = {
  up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void>;
  /** Programs that do not know it must not write any more: they would leave out what later ones count on. */
  endsOlder?: boolean;
};

/** In the order they apply. A migration that has been released is never edited, only followed by another. */
export const migrations: Record<string, NumberedMigration> = {
  '0001-start': start,
  '0002-files': files,
  '0004-comments': comments,
  '0005-admin': admin,
  '0006-editor': editor,
  '0007-files': storage,
  '0008-accounts': accounts,
  '0011-token-use': tokenUse,
  '0020-search': search,
  '0021-email-links': emailLinks,
  '0022-denials': denials,
  '0023-imports': imports,
  '0024-changes': changes,
  '0025-upload-parts': uploadParts,
  '0026-readable': readable,
  '0027-history': history,
  '0028-mail-states': mailStates,
  '0029-rare-words': rareWords,
  '0030-withheld-tags': withheldTags,
  '0031-scopes': scopes,
  '0032-invitations': invitations,
  '0033-notices': notices,
  '0034-introductions': introductions,
  '0035-sign-in-links': signInLinks,
  '0036-passkeys': passkeys,
  '0037-authors': authors,
  '0038-second-factors': secondFactors,
  '0039-transfers': transfers,
  '0040-session-length': sessionLength,
  '0041-authors-of-combinations': authorsOfCombinations,
};
