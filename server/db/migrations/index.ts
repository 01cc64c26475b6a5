import type { Kysely } from 'kysely';
import * as firstRelease from './0041-first-release/index.ts';
import * as authorsOfCombinations from './0042-authors-of-combinations.ts';
import * as countsOfUsers from './0043-counts-of-users.ts';
import * as draftsByCombination from './0044-drafts-by-combination.ts';
import * as importedByTarget from './0045-imported-by-target.ts';
import * as firstFactorShownAt from './0046-first-factor-shown-at.ts';
import * as mailsByUrgency from './0047-mails-by-urgency.ts';
import * as hostsInAscii from './0048-hosts-in-ascii.ts';
import * as importOpens from './0049-import-opens.ts';
import * as attemptsAtSizes from './0050-attempts-at-sizes.ts';
import * as authorsAreASetting from './0051-authors-are-a-setting.ts';
import * as accountsByList from './0052-accounts-by-list.ts';
import * as holdersOfLeases from './0053-holders-of-leases.ts';
import * as conversation from './0054-conversation.ts';
import * as mailWishes from './0055-mail-wishes.ts';
import * as personalFeeds from './0056-personal-feeds.ts';
import * as search from './0057-search.ts';
import * as reading from './0058-reading.ts';
import * as digests from './0059-digests.ts';
import * as quietSettings from './0060-quiet-settings.ts';
import * as toldPosts from './0061-told-posts.ts';
import * as mailsBeginning from './0062-mails-beginning.ts';
import * as unwantedTags from './0063-unwanted-tags.ts';
import * as recordedPosts from './0064-recorded-posts.ts';
import * as pinnedPosts from './0065-pinned-posts.ts';
import * as pages from './0066-pages.ts';
import * as replyAddresses from './0067-reply-addresses.ts';
import * as bounces from './0068-bounces.ts';
import * as naturalNames from './0069-natural-names.ts';
import * as videos from './0070-videos.ts';
import * as accessRequests from './0071-access-requests.ts';
import * as postAddresses from './0072-post-addresses.ts';
import * as faces from './0073-faces.ts';
import * as resetLinks from './0074-reset-links.ts';
import * as cardPictures from './0075-card-pictures.ts';
import * as push from './0076-push.ts';
import * as proposals from './0077-proposals.ts';
import * as webhooks from './0078-webhooks.ts';
import * as repeatedAnnouncements from './0079-repeated-announcements.ts';
import * as mailsByLane from './0080-mails-by-lane.ts';
import * as mergedSearch from './0081-merged-search.ts';
import * as openings from './0082-openings.ts';
import * as alternativeTexts from './0083-alternative-texts.ts';
import * as searchList from './0084-search-list.ts';
import * as allSiteSettings from './0085-all-site-settings.ts';
import * as replyAddressAges from './0086-reply-address-ages.ts';
import * as charactersByPeople from './0087-characters-by-people.ts';
import * as endsOfFeeds from './0088-ends-of-feeds.ts';
import * as recordedVariants from './0089-recorded-variants.ts';
import * as firstAnnouncements from './0090-first-announcements.ts';
import * as waitingUsers from './0091-waiting-users.ts';
import * as importChoices from './0092-import-choices.ts';
import * as postsToIndex from './0093-posts-to-index.ts';
import * as signInMethods from './0094-sign-in-methods.ts';
import * as firstOpened from './0095-first-opened.ts';
import * as commentsByTime from './0096-comments-by-time.ts';
import * as unusedTagSets from './0097-unused-tag-sets.ts';

type NumberedMigration = {
  up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void>;
  /**
   * Whether programs that do not know this migration must stop writing: they would leave out what later ones
   * rely on.
   */
  endsOlder?: boolean;
};

/**
 * In the order in which they apply. A released migration is never edited, only followed by another.
 */
export const migrations: Record<string, NumberedMigration> = {
  '0041-first-release': firstRelease,
  '0042-authors-of-combinations': authorsOfCombinations,
  '0043-counts-of-users': countsOfUsers,
  '0044-drafts-by-combination': draftsByCombination,
  '0045-imported-by-target': importedByTarget,
  '0046-first-factor-shown-at': firstFactorShownAt,
  '0047-mails-by-urgency': mailsByUrgency,
  '0048-hosts-in-ascii': hostsInAscii,
  '0049-import-opens': importOpens,
  '0050-attempts-at-sizes': attemptsAtSizes,
  '0051-authors-are-a-setting': authorsAreASetting,
  '0052-accounts-by-list': accountsByList,
  '0053-holders-of-leases': holdersOfLeases,
  '0054-conversation': conversation,
  '0055-mail-wishes': mailWishes,
  '0056-personal-feeds': personalFeeds,
  '0057-search': search,
  '0058-reading': reading,
  '0059-digests': digests,
  '0060-quiet-settings': quietSettings,
  '0061-told-posts': toldPosts,
  '0062-mails-beginning': mailsBeginning,
  '0063-unwanted-tags': unwantedTags,
  '0064-recorded-posts': recordedPosts,
  '0065-pinned-posts': pinnedPosts,
  '0066-pages': pages,
  '0067-reply-addresses': replyAddresses,
  '0068-bounces': bounces,
  '0069-natural-names': naturalNames,
  '0070-videos': videos,
  '0071-access-requests': accessRequests,
  '0072-post-addresses': postAddresses,
  '0073-faces': faces,
  '0074-reset-links': resetLinks,
  '0075-card-pictures': cardPictures,
  '0076-push': push,
  '0077-proposals': proposals,
  '0078-webhooks': webhooks,
  '0079-repeated-announcements': repeatedAnnouncements,
  '0080-mails-by-lane': mailsByLane,
  '0081-merged-search': mergedSearch,
  '0082-openings': openings,
  '0083-alternative-texts': alternativeTexts,
  '0084-search-list': searchList,
  '0085-all-site-settings': allSiteSettings,
  '0086-reply-address-ages': replyAddressAges,
  '0087-characters-by-people': charactersByPeople,
  '0088-ends-of-feeds': endsOfFeeds,
  '0089-recorded-variants': recordedVariants,
  '0090-first-announcements': firstAnnouncements,
  '0091-waiting-users': waitingUsers,
  '0092-import-choices': importChoices,
  '0093-posts-to-index': postsToIndex,
  '0094-sign-in-methods': signInMethods,
  '0095-first-opened': firstOpened,
  '0096-comments-by-time': commentsByTime,
  '0097-unused-tag-sets': unusedTagSets,
};

/** The schema that this program writes. */
export const newestMigration = Object.keys(migrations).at(-1) ?? '';
