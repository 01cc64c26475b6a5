import type { Generated } from 'kysely';
import type { Rhythm } from '../../../contract/accounts/account.ts';
import type { WebhookFormat } from '../../../contract/webhook-names.ts';
import type { WishKind } from '../../../contract/wishes.ts';
import type { Flag, OptionalFlag } from './columns.ts';

/** Who gets mails about new posts, and the queue of mails. */
export type MailTables = {
  /** Whether somebody wants mails of a kind; without a row the default in mail/wishes/wishes.ts applies. */
  mail_wishes: { user_id: string; kind: WishKind; is_on: Flag };
  subscriptions: {
    user_id: string;
    email: string;
    created_at: number;
    rhythm: Generated<Rhythm>;
    /** Whether a mail about a post holds its whole text, not only the beginning. */
    is_whole: OptionalFlag;
    /** The hour of a digest, in the site's time zone. */
    digest_hour: Generated<number>;
    /** Posts announced until then were in an earlier digest, or came before any digest. */
    digest_at: Generated<number>;
  };
  /** Posts with one of these tags are neither mailed nor notified to this account. */
  unwanted_tags: { user_id: string; tag_id: string };
  /**
   * A post to be announced to subscribers; written by the transaction that publishes it or opens it to more
   * people.
   */
  announcements: {
    post_id: string;
    created_at: number;
    /** Subscribers up to this id already have their row in `mails`. */
    last_user_id: Generated<string>;
    expanded_at: number | null;
    /**
     * Whether it only opens the post to more people: then only mail subscribers who were not told yet are.
     */
    is_repeat: OptionalFlag;
    /** When a post that is announced again was first announced; null if that is unknown. Milliseconds. */
    first_at: Generated<number | null>;
  };
  /** Who got a post by mail, at once or in a digest. */
  told_posts: { post_id: string; user_id: string };
  /** The addresses whose mails become comments on a post, or answers to a comment on it. */
  reply_addresses: {
    digest: string;
    user_id: string;
    post_id: string;
    comment_id: string | null;
    /** When a mail last named it. */
    mailed_at: number;
  };
  /** How often mails to an account's address bounced permanently, and the last reason. */
  bounces: { user_id: string; address: string; count: number; reason: string; last_at: number };
  /** An address elsewhere that receives events. */
  webhooks: {
    id: string;
    name: string;
    format: WebhookFormat;
    /** It may contain a key of its service, so only that server gets it. */
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
    /** The webhook that receives this instead of a person. */
    webhook_id: Generated<string | null>;
    /**
     * JSON of the mail's content; emptied once it is sent or given up, because it can contain a one-time
     * link.
     */
    data: string;
    state: MailState;
    attempts: Generated<number>;
    due_at: number;
    /** The worker that holds the lease, and until when. */
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
  /** New posts since the previous digest. */
  | 'digest'
  | 'comment'
  /** Not a mail: notifies browsers of a post or an answer. */
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
