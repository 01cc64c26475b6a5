import type { Generated } from 'kysely';
import type { Rhythm } from '../../../contract/accounts/account.ts';
import type { WebhookFormat } from '../../../contract/webhook-names.ts';
import type { WishKind } from '../../../contract/wishes.ts';
import type { Flag, OptionalFlag } from './columns.ts';

/** Who hears of new posts, and the queue of mails. */
export type MailTables = {
  /** What somebody has chosen to hear of, or not to; without a row it is as mail/wishes/wishes.ts says. */
  mail_wishes: { user_id: string; kind: WishKind; is_on: Flag };
  subscriptions: {
    user_id: string;
    email: string;
    created_at: number;
    rhythm: Generated<Rhythm>;
    /** A mail about a post holds its whole text, not only the beginning. */
    is_whole: OptionalFlag;
    /** The hour of a digest, in the site's time zone. */
    digest_hour: Generated<number>;
    /** Posts that were announced until then are in a digest before, or were before there were any. */
    digest_at: Generated<number>;
  };
  /** Somebody hears of no posts that carry one of these: neither by mail nor by notification. */
  unwanted_tags: { user_id: string; tag_id: string };
  /**
   * A post that subscribers are to hear of; written by the transaction that publishes it or opens it to more.
   */
  announcements: {
    post_id: string;
    created_at: number;
    /** Subscribers up to this id have their row in `mails`. */
    last_user_id: Generated<string>;
    expanded_at: number | null;
    /** It opens to more: only those who subscribe by mail and were not told hear of it. */
    is_repeat: OptionalFlag;
  };
  /** Who was told of a post by mail, at once or in a digest. */
  told_posts: { post_id: string; user_id: string };
  /** By which an answer by mail to a post, or to a comment on it, becomes a comment. */
  reply_addresses: { digest: string; user_id: string; post_id: string; comment_id: string | null };
  /** How often mails to an address of an account came back for good, and why the last one did. */
  bounces: { user_id: string; address: string; count: number; reason: string; last_at: number };
  /** An address elsewhere that is told of events. */
  webhooks: {
    id: string;
    name: string;
    format: WebhookFormat;
    /** It may hold a key of its service, which only its server is told. */
    url: string;
    /** Sent as `Authorization: Bearer`; empty for none. */
    token: string;
    /** Separated by spaces. */
    events: string;
    created_at: number;
  };
  mails: {
    id: string;
    /** Identifies the mail, so that it exists only once. */
    once: string;
    kind: MailKind;
    user_id: string | null;
    post_id: string | null;
    /** The webhook that is told in place of somebody by mail. */
    webhook_id: Generated<string | null>;
    /**
     * JSON of what the mail says; emptied once it is sent or given up, because it can contain a one-time
     * link.
     */
    data: string;
    state: MailState;
    attempts: Generated<number>;
    due_at: number;
    /** The worker that holds it, and until when. */
    lease: string | null;
    leased_until: number | null;
    created_at: number;
    done_at: number | null;
    error: string | null;
  };
};

export type MailKind =
  | 'post'
  | 'reset'
  | 'confirm'
  | 'approved'
  | 'waiting'
  | 'notice'
  | 'sign-in'
  | 'invitation'
  /** New posts since the digest before. */
  | 'digest'
  /** A new comment. */
  | 'comment'
  /** No mail: it tells browsers of a post or an answer. */
  | 'push'
  /** To an admin: a member asks for a post. */
  | 'asked'
  /** To that member: they may read it now. */
  | 'let-in'
  /** To somebody who was given tags: the posts that these open. */
  | 'opened'
  /** Why an answer by mail did not become a comment, or a mail no post. */
  | 'refused-reply'
  /** To an admin. */
  | 'reported'
  | 'backup-failed';

export type MailState = 'queued' | 'sent' | 'dropped' | 'failed';
