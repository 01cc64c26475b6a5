/** The business constants of the specification (section 9) and of decisions.md, in one place. */

export const shortPostMaxCharacters = 300;
/**
 * Of the Markdown of a short post, with the addresses and alternative texts of its pictures, which do not
 * count as visible.
 */
export const shortPostMaxMarkdown = 10_000;
export const titleMaxCharacters = 200;
export const descriptionMaxCharacters = 500;
/** An essay of 10,000 words is about 60,000 characters; the longest post of the corpus has 850,000. */
export const contentMaxCharacters = 1_000_000;
export const commentMaxCharacters = 5_000;
export const commentsPerPage = 20;
/** The most answers to one comment: they are listed together with it. */
export const answersPerComment = 200;
/** The most answers on a page: 20 comments with 200 answers each took 26 MB. */
export const answersPerPage = 200;
/** The most characters of all answers to one comment, and of a page: fifty of the longest comments. */
export const threadMaxCharacters = 250_000;
/** A comment that is changed after this many milliseconds is marked as edited. */
export const commentEditGraceMs = 5 * 60_000;
export const reportMaxCharacters = 500;
export const reportsPerPage = 20;
/** A smaller number of openings is not shown: it could reveal who has opened the post. */
export const openingsShownFrom = 10;
/** How many access requests, and how many proposals, an admin is shown at once. */
export const requestsListed = 50;

export const attachmentsPerPost = 50;
export const attachmentDescriptionMaxCharacters = 500;

export const tagMaxCharacters = 50;
export const tagsPerPost = 50;
/** How many approved tags a member may have, and how many default tags a site: far above real use. */
export const tagsAllowed = 2_000;
/** How many of those who can read a post are named to an admin who writes it. */
export const namedReaders = 20;
/** How many tags one search may name. */
export const tagsPerFilter = 100;

export const username = { min: 3, max: 20, pattern: /^[A-Za-z0-9_]+$/ } as const;
export const fullName = { min: 2, max: 25 } as const;
/** The longest introduction at sign-up. */
export const introductionMaxCharacters = 300;
export const password = { min: 6, max: 20 } as const;
/** For an archive. Longer than for a password, because a stolen file can be guessed at without a limit. */
export const passphraseMinCharacters = 12;
/** For a password that is checked, not set: an imported one may be longer than ours (decision 34). */
export const typedPasswordMaxCharacters = 1_000;
/** RFC 5321: the longest address that mail can carry. */
export const emailMaxCharacters = 254;
/**
 * The host of addresses that the site makes for accounts without one; nobody signs up with such an address.
 * No mail goes there (RFC 2606).
 */
export const noAddressHost = 'no-address.invalid';

/** The name of a passkey, which its owner gives it. */
export const passkeyNameMaxCharacters = 50;

/** Posts on a page of the timeline (decision 14). */
export const postsPerPage = 10;
export const draftsPerAuthor = 300;
/** Accounts on a page of an admin's list. */
export const usersPerPage = 25;
export const decisionsAtOnce = 100;
/** Posts whose tags one call changes. */
export const postsRetaggedAtOnce = 200;
export const searchMaxCharacters = 100;
/** How many pages of results a search has; a filter narrows what would need more. */
export const searchPages = 50;
export const historyPerPage = 50;
/** Likes or comments on a page of the caller's own activity. */
export const activityPerPage = 20;
/** Characters of an excerpt: enough for the description of a page in a search result. */
export const pageExcerpt = 200;
export const likedPostExcerpt = 100;
export const commentedPostExcerpt = 50;

/** Pixels of scroll after which the tag bar changes its look. */
export const scrolledThreshold = 64;
export const scrollSaveDebounceMs = 100;
export const scrollRestoreDelayMs = 100;

export const callTimeoutMs = 70_000;
export const scriptLoadTimeoutMs = 120_000;
export const storageOperationRetryMs = 120_000;
export const storageUploadRetryMs = 600_000;

/**
 * The least time between opening and sending the sign-up form, in milliseconds. People need longer, and the
 * form itself waits this long.
 */
export const signUpMinimumMs = 1_500;

/** Invitations: days of validity, the most people per link, and the most that are made at once. */
export const invitationLimits = {
  days: 30,
  maxDays: 365,
  maxUses: 100,
  maxRecipients: 100,
  nameMaxCharacters: 50,
} as const;
export const invitationsPerPage = 20;
/** How many proposals of one member may be open at once. */
export const proposalsPerMember = 5;

/**
 * Imports and exports in the browser: the most files of an import, the most hours that one may run, and the
 * hours that its files are kept.
 */
export const transferLimits = { maxFiles: 20, maxAuthors: 500, maxHours: 12, keptHours: 24 } as const;

/** How many posts a page can follow at once. */
export const postsPerStream = 50;
