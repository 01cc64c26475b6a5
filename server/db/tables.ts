import type { Selectable } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { FileTables } from './tables/files.ts';
import type { MailTables } from './tables/mail.ts';
import type { PostTables } from './tables/posts.ts';
import type { ReadingTables } from './tables/reading.ts';
import type { SiteTables } from './tables/site.ts';

export { timeOf } from './tables/columns.ts';
export type { MailKind, MailState } from './tables/mail.ts';
export type { ImportChoices, TransferFile } from './tables/site.ts';

/** The tables as Kysely sees them. Times of ours are milliseconds since 1970 in UTC, on both engines. */
export type Tables = AccountTables & FileTables & MailTables & PostTables & ReadingTables & SiteTables;

export type UserRow = Selectable<Tables['users']>;
export type PasskeyRow = Selectable<Tables['passkeys']>;
export type PostRow = Selectable<Tables['posts']>;
export type FileRow = Selectable<Tables['files']>;
export type ImportedRow = Selectable<Tables['imported']>;
export type MailRow = Selectable<Tables['mails']>;
export type AccessTokenRow = Selectable<Tables['access_tokens']>;
export type HistoryRow = Selectable<Tables['history']>;
export type UploadSessionRow = Selectable<Tables['upload_sessions']>;
export type TransferRow = Selectable<Tables['transfers']>;
