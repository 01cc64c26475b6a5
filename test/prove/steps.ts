/**
 * One thing that somebody does. `at` is its place in the history and names what it makes: step 7 makes the post `p7`, the
 * comment `c7`, the session `s7`, the invitation `i7`, the passkey `y7`, the upload `a7` of the file `f7`. `by` is `nobody`, an account (its newest session), a session, a session with `*` behind
 * it (its bearer token instead of its cookie), or an access token. A step that names what is not there is skipped, so that
 * any part of a history is a history.
 */
export type Step = { at: number } & Deed;

export type Deed =
  | { do: 'signUp' }
  | { do: 'signIn'; who: string; isWrong?: boolean }
  | { do: 'signOut' | 'signOutEverywhere' | 'changeName' | 'changePassword' | 'makeToken'; by: string }
  | { do: 'revokeToken'; by: string; token: string }
  | { do: 'deleteAccount'; by: string; comments: 'keep' | 'delete' }
  | { do: 'approve'; by: string; who: string; tags?: string[] }
  | { do: 'deny'; by: string; who: string }
  | { do: 'decideMany'; by: string; decisions: { who: string; isApproval: boolean; tags: string[] }[] }
  | { do: 'undo'; by: string; who: string }
  | { do: 'allowTags'; by: string; who: string; tags: string[] }
  | { do: 'setAdmin'; by: string; who: string; isAdmin: boolean }
  | { do: 'setAuthor'; by: string; who: string; isAuthor: boolean }
  | { do: 'setDefaults'; by: string; tags: string[] }
  | { do: 'addTag' | 'renameTag' | 'deleteTag'; by: string; tag: string }
  | ({ do: 'write'; by: string } & Written)
  | ({ do: 'edit'; by: string; post: string; isStale?: boolean } & Written)
  | { do: 'deletePost'; by: string; post: string }
  | { do: 'like'; by: string; post: string; liked: boolean }
  | { do: 'comment'; by: string; post: string }
  | { do: 'deleteComment'; by: string; comment: string }
  | { do: 'subscribe'; by: string; subscribed: boolean }
  | { do: 'saveAbout'; by: string }
  | { do: 'upload'; by: string; isPicture: boolean }
  | { do: 'deleteFile'; by: string; file: string }
  | { do: 'getDownload'; by: string; file: string }
  /** Opens the link by which an account's address is confirmed, from its last mail. */
  | { do: 'confirm'; who: string }
  | { do: 'invite'; by: string; tags: string[]; uses: number }
  | { do: 'changeInvitation'; by: string; invitation: string; tags: string[] }
  | { do: 'revokeInvitation'; by: string; invitation: string }
  | { do: 'join'; invitation: string }
  | { do: 'turnOnFactor'; by: string }
  | { do: 'turnOffFactor'; by: string }
  | { do: 'requireFactor'; by: string; isRequired: boolean }
  | { do: 'addPasskey'; by: string }
  | { do: 'removePasskey'; by: string; passkey: string }
  | { do: 'signInByPasskey'; passkey: string }
  /** Asks for a mail with a link that logs in; whoever reads the mailbox then uses it. */
  | { do: 'askSignInLink'; who: string }
  | { do: 'signInByLink'; who: string }
  | { do: 'beginUpload'; by: string }
  /** The first half of a file, its rest, or where it stands. */
  | { do: 'sendPart'; by: string; upload: string }
  | { do: 'finishUpload'; by: string; upload: string }
  | { do: 'askUpload'; by: string; upload: string }
  | { do: 'cancelUpload'; by: string; upload: string }
  | { do: 'openStream'; by: string; posts: string[] }
  | { do: 'closeStream'; stream: string }
  /** Saves the site as the backup `b7`; brings it back as that has it, in the place of the site that there is. */
  | { do: 'backUp' }
  | { do: 'restore'; backup: string; keepsAccess?: boolean }
  /** Imports a Markdown file from the command line; nobody is mailed about it. */
  | { do: 'importPost'; type: 'short' | 'essay'; tags: string[]; isDraft: boolean }
  /** An export of all posts, and the check of an import of one post, which an admin begins in the browser; `x7` of step 7. */
  | { do: 'startExport'; by: string }
  | { do: 'checkImport'; by: string }
  | { do: 'startImport'; by: string; transfer: string }
  | { do: 'endTransfer'; by: string; transfer: string }
  /** Does the import or export that waits, in a process of its own. */
  | { do: 'workOnTransfers' }
  /** Moves the site's clock; back, too. */
  | { do: 'moveClock'; ms: number }
  /** All at once, in no order. */
  | { do: 'together'; steps: Step[] }
  /** All at once, while a process, or the database, is killed after so many milliseconds, and started again. */
  | { do: 'kill'; process: number; ofDatabase?: boolean; afterMs: number; steps: Step[] }
  /** One after another, while a process is frozen; it wakes afterwards. */
  | { do: 'freeze'; process: number; steps: Step[] };

export type Written = {
  type: 'short' | 'essay';
  tags: string[];
  isDraft: boolean;
  /** Files that it lists; undefined keeps those that it has. */
  attach?: string[];
  /** Files that its text shows. */
  shows: string[];
};

export type DeedOf<Name extends Deed['do']> = { at: number } & Extract<Deed, { do: Name }>;
