import type { Generated } from 'kysely';
import type { ShownIn } from '../../../contract/post-input.ts';
import type { Flag, OptionalFlag } from './columns.ts';

/** Tags, posts, and members' comments, likes and requests. */
export type PostTables = {
  tags: {
    id: string;
    /** As first written. */
    name: string;
    /** The name in NFC and lower case, which identifies the tag (decision 4). */
    key: string;
    /** False once deleted: posts and grants keep the tag, lists and pickers do not (decision 5). */
    is_listed: Flag;
  };
  default_tags: { tag_id: string };
  approved_tags: { user_id: string; tag_id: string };
  /** Tags that an admin has removed from an account: no claim of an OpenID provider gives them back. */
  withheld_tags: { user_id: string; tag_id: string };
  /**
   * Every distinct combination of tags that a post carries. The tags of a row never change: another
   * combination is another row. So the access rule is decided once per combination instead of once per post.
   */
  tag_sets: {
    id: Generated<number>;
    /** The sorted tag ids joined by a comma; empty for untagged posts. */
    key: string;
    /** Published posts with exactly this combination; updated in the same transaction. */
    published_count: Generated<number>;
  };
  tag_set_tags: { tag_set_id: number; tag_id: string };
  posts: {
    id: string;
    type: 'short' | 'essay';
    title: string | null;
    description: string | null;
    tag_set_id: number;
    author_id: string | null;
    /** Null while the post is a draft. */
    published_at: number | null;
    /** Whether it comes before all others in the timeline. */
    is_pinned: OptionalFlag;
    /** Where readers find it; lists by date show only the timeline's posts. */
    shown_in: Generated<ShownIn>;
    created_at: number;
    updated_at: number | null;
    like_count: Generated<number>;
    /** The number of visible comments: neither hidden nor deleted. */
    comment_count: Generated<number>;
    /** Rises with each change of its comments, so that an open page notices a missed one. */
    comments_version: Generated<number>;
    /** Whether its author or an admin has closed it to comments. */
    comments_closed: OptionalFlag;
    /** Whether mails hold only its beginning, even to readers who prefer the whole text. */
    mails_beginning: OptionalFlag;
    /** The picture beside its preview: an address in its text, or `none`; null for the first one. */
    card_picture: Generated<string | null>;
    /** A key that the editor made: saving a new post with the same key again returns the same post. */
    save_key: string | null;
    /** Rises with each save, so that a save over somebody else's newer text is noticed. */
    version: Generated<number>;
    /** Markdown, as written. */
    content: string;
    /** Rendered and sanitised from `content` when saved. */
    html: string;
    /** `content` without what `html` does not show; null for posts that are older than this column. */
    readable: string | null;
    /** The plain text of `html`, for search, excerpts and descriptions. */
    text: string;
  };
  /**
   * The words of posts, for search; only `post-search.ts` knows the tables of each engine. In SQLite
   * `post_search` holds the words and `post_search_rows` the entries, in PostgreSQL `post_search` holds both.
   */
  post_search: { post_id: string };
  post_search_rows: { post_id: string };
  /** The posts whose words are to be indexed again, in the background; until then the old ones are found. */
  posts_to_index: { post_id: string };
  likes: { post_id: string; user_id: string; created_at: number };
  comments: {
    id: string;
    post_id: string;
    /** Null if the account is deleted: shown as 'Unknown User'. */
    user_id: string | null;
    content: string;
    created_at: number;
    /** Made by the author's browser; the same key is the same comment. Null for comments without one. */
    key: string | null;
    /** The author's name on the original site, for an imported comment whose author has no account here. */
    author_name: Generated<string | null>;
    /** The comment that it answers, which is never itself an answer. */
    parent_id: Generated<string | null>;
    edited_at: Generated<number | null>;
    /** Whether this is the placeholder of a deleted comment; nothing else of it is left. */
    is_deleted: OptionalFlag;
    /** Set while an admin hides it; its author reads the reason. */
    hidden_at: Generated<number | null>;
    hidden_reason: Generated<string | null>;
  };
  /** Posts that members have asked the admins for, with their message. */
  access_requests: { post_id: string; user_id: string; word: string; created_at: number };
  /** Readers' reports to the admins, until one of them decides about the comment. */
  comment_reports: { comment_id: string; user_id: string; word: string; created_at: number };
  /** The path of an imported post on its original site. */
  old_addresses: { address: string; post_id: string };
};
