import type { ShownIn } from '../../contract/post-input.ts';
import type { WishKind } from '../../contract/wishes.ts';
import type { SavedSettings } from './model/world.ts';

/**
 * One thing that somebody does. `at` is its place in the history and names what it makes: step 7 makes the
 * post `p7`, the comment `c7`, the session `s7`, the invitation `i7`, the passkey `y7`, the webhook `h7`, the
 * upload `a7` of the file `f7`. `by` is `nobody`, an account (with its newest session), a session, a session
 * followed by `*` (its bearer token instead of its cookie), or an access token. A step that names something
 * that does not exist is skipped, so that any part of a history is a history.
 */
export type Step = { at: number } & Deed;

export type Deed =
  | { do: 'signUp' }
  | { do: 'signIn'; who: string; isWrong?: boolean }
  | { do: 'signOut' | 'signOutEverywhere' | 'changeName' | 'changePassword' | 'makeToken'; by: string }
  | { do: 'setFace'; by: string; isPicture: boolean }
  /** The feed of an account; its address is asked for from then on. */
  | { do: 'makeFeed' | 'endFeed'; by: string }
  /** An address for posts by mail. */
  | { do: 'makePostAddress'; by: string; publishes: boolean }
  | { do: 'endPostAddress' | 'startPush' | 'stopPush'; by: string }
  | { do: 'revokeToken'; by: string; token: string }
  | { do: 'deleteAccount'; by: string; comments: 'keep' | 'delete' }
  | { do: 'approve'; by: string; who: string; tags?: string[] }
  | { do: 'deny' | 'removeFace'; by: string; who: string }
  | { do: 'decideMany'; by: string; decisions: { who: string; isApproval: boolean; tags: string[] }[] }
  | { do: 'undo'; by: string; who: string }
  /** `tells` mails a subscriber the posts that the new tags open. */
  | { do: 'allowTags'; by: string; who: string; tags: string[]; tells?: boolean }
  | { do: 'setAdmin'; by: string; who: string; isAdmin: boolean }
  | { do: 'setAuthor'; by: string; who: string; isAuthor: boolean }
  | { do: 'setDefaults'; by: string; tags: string[] }
  | { do: 'addTag' | 'renameTag' | 'deleteTag'; by: string; tag: string }
  | { do: 'mergeTag'; by: string; tag: string; into: string }
  | { do: 'retagPosts'; by: string; posts: string[]; add: string[]; remove: string[] }
  | ({ do: 'write'; by: string } & Written)
  /** `tells` mails a published post to those who may read it only now. */
  | ({ do: 'edit'; by: string; post: string; isStale?: boolean; tells?: boolean } & Written)
  | { do: 'deletePost'; by: string; post: string }
  | { do: 'setPinned'; by: string; post: string; isPinned: boolean }
  | { do: 'like'; by: string; post: string; liked: boolean }
  | { do: 'openPost' | 'countOpening' | 'askFor' | 'withdrawAsked'; by: string; post: string }
  /** An admin answers a request for a post. */
  | { do: 'letIn'; by: string; who: string; post: string; isGranted: boolean }
  /** Proposes a new person, or one of whom others have spoken before. */
  | { do: 'proposePerson'; by: string; email?: string }
  | { do: 'withdrawProposal'; by: string; email: string }
  | { do: 'declineProposal'; by: string; who: string; email: string }
  | { do: 'acceptProposal'; by: string; who: string; email: string; tags: string[] }
  /** `answers` is the comment that it answers, of any post. */
  | { do: 'comment'; by: string; post: string; answers?: string }
  /**
   * Answers the last mail about a post, on the command line of the mail server; `from` is another account
   * that has come to know the address.
   */
  | { do: 'answerByMail'; who: string; post: string; from?: string }
  /**
   * Mails a post to the address that an account made last, on the command line of the mail server; `from` is
   * another account that has come to know the address.
   */
  | { do: 'postByMail'; who: string; from?: string }
  | { do: 'editComment' | 'reportComment'; by: string; comment: string }
  | { do: 'hideComment' | 'restoreComment' | 'dismissReports'; by: string; comment: string }
  | { do: 'closeComments'; by: string; post: string; isClosed: boolean }
  | { do: 'mute'; by: string; who: string; isMuted: boolean }
  | { do: 'deleteComment'; by: string; comment: string }
  /** A digest comes at an hour, and if it comes `soon`, at the next one. */
  | { do: 'subscribe'; by: string; subscribed: boolean; rhythm?: 'at-once' | 'daily'; soon?: true }
  | { do: 'wish'; by: string; kind: WishKind; isOn: boolean }
  /** Whether the timeline of an account shows posts of this day in earlier years. */
  | { do: 'setReadingSettings'; by: string; showsPast: boolean }
  | { do: 'saveAbout' | 'addWebhook'; by: string }
  | { do: 'removeWebhook'; by: string; webhook: string }
  | { do: 'saveSettings'; by: string; values: SavedSettings; version?: number }
  | { do: 'upload'; by: string; isPicture: boolean }
  | { do: 'deleteFile'; by: string; file: string }
  | { do: 'getDownload'; by: string; file: string }
  /** Opens the link in an account's last mail that confirms its address. */
  | { do: 'confirm'; who: string }
  | { do: 'invite'; by: string; tags: string[]; uses: number }
  | { do: 'changeInvitation'; by: string; invitation: string; tags: string[] }
  | { do: 'revokeInvitation'; by: string; invitation: string }
  | { do: 'join'; invitation: string }
  | { do: 'acceptInvitation'; by: string; invitation: string }
  | { do: 'turnOnFactor'; by: string }
  | { do: 'turnOffFactor'; by: string }
  | { do: 'requireFactor'; by: string; isRequired: boolean }
  | { do: 'addPasskey'; by: string }
  | { do: 'removePasskey'; by: string; passkey: string }
  | { do: 'signInByPasskey'; passkey: string }
  /** Asks for a mail with a sign-in link, which a later step opens. */
  | { do: 'askSignInLink'; who: string }
  | { do: 'signInByLink'; who: string }
  | { do: 'beginUpload'; by: string }
  /** Sends the first half of a file, or its rest, or asks how much has arrived. */
  | { do: 'sendPart'; by: string; upload: string }
  | { do: 'finishUpload'; by: string; upload: string }
  | { do: 'askUpload'; by: string; upload: string }
  | { do: 'cancelUpload'; by: string; upload: string }
  | { do: 'openStream'; by: string; posts: string[] }
  | { do: 'closeStream'; stream: string }
  /** Saves the site as the backup `b7`, or replaces the site by one restored from a backup. */
  | { do: 'backUp' }
  | { do: 'restore'; backup: string; keepsAccess?: boolean }
  /** Imports a Markdown file on the command line, which sends no mail; `yearsAgo` dates it earlier. */
  | { do: 'importPost'; type: 'short' | 'essay'; tags: string[]; isDraft: boolean; yearsAgo?: number }
  /**
   * An admin begins an export of all posts, or the check of an import of one post, in the browser: `x7` in
   * step 7.
   */
  | { do: 'startExport'; by: string }
  | { do: 'checkImport'; by: string }
  | { do: 'startImport'; by: string; transfer: string }
  | { do: 'endTransfer'; by: string; transfer: string }
  /** Runs the waiting import or export in a separate process. */
  | { do: 'workOnTransfers' }
  /** Moves the site's clock, forward or back. */
  | { do: 'moveClock'; ms: number }
  /** All at once, in no defined order. */
  | { do: 'together'; steps: Step[] }
  /** All at once, while a process or the database is killed after so many milliseconds, and started again. */
  | { do: 'kill'; process: number; ofDatabase?: boolean; afterMs: number; steps: Step[] }
  /** One after another, while a process is frozen, which wakes afterwards. */
  | { do: 'freeze'; process: number; steps: Step[] };

export type Written = {
  type: 'short' | 'essay';
  tags: string[];
  isDraft: boolean;
  /** Where an essay is shown; undefined for the timeline. */
  shownIn?: ShownIn;
  /** The attachments; undefined if they do not change. */
  attach?: string[];
  /** The files that its text shows. */
  shows: string[];
};

export type DeedOf<Name extends Deed['do']> = { at: number } & Extract<Deed, { do: Name }>;
