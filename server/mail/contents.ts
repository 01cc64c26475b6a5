import type { WishKind } from '../../contract/wishes.ts';
import type { MailKind, MailRow } from '../db/tables.ts';
import type { NoticeDetail, NoticeKind } from './notices.ts';

/** What a mail of each kind contains that is not in the database when it is sent. */
export type Contents = {
  /** `next`: where the link leads afterwards. */
  reset: { token: string; next?: string };
  confirm: { token: string; to: string };
  'sign-in': { token: string; linkDigest: string; next?: string };
  invitation: { token: string; invitationId: string };
  notice: Notice;
  approved: { isAuthor: boolean };
  /** The announcements after the first moment, up to the second. */
  digest: { since: number; until: number };
  /** The wishes that may apply to its reader, nearest first. */
  comment: { commentId: string; wishes: readonly WishKind[] };
  /** The session of the browser; `commentId` for an answer, without it for a post. */
  push: { sessionId: string; commentId?: string };
  /** The tags that were given, and when. */
  opened: { tagIds: readonly string[]; since: number };
  /**
   * Why an answer became no comment or a mail no post, whether it became a comment all the same, without its
   * files, and the id of the mail that is answered.
   */
  'refused-reply': { error: string; isAdded: boolean; inReplyTo: string };
  /** `last`: when the last backup was made. */
  'backup-failed': { error: string; last?: string };
};

/** `to` is another address than the account's. Mails to an account are deleted with it. */
type Notice = NoticeDetail &
  (
    | { notice: Exclude<NoticeKind, 'account-deleted'>; to?: string }
    | { notice: 'account-deleted'; to: string; username: string }
  );

/** The kinds whose mails are written from the database alone. */
export type BareKind = Exclude<MailKind, keyof Contents>;

/** The content of a row that `queueMail` wrote for a mail of this kind. */
export function contentOf<Kind extends keyof Contents>(row: MailRow, kind: Kind): Contents[Kind] {
  if (row.kind !== kind) throw new Error(`Mail ${row.id} is of kind ${row.kind}, not ${kind}.`);
  return JSON.parse(row.data) as Contents[Kind];
}
