import assert from 'node:assert/strict';
import type { Client } from './client.ts';

/** What every kind of write knows of a run. */
export type Scene = {
  admin: Client;
  members: readonly Client[];
  /** Between 0 and 1. */
  random: () => number;
  /** A number that no other write has had. */
  next(): number;
};

/**
 * One kind of write. `write` does some and keeps what the server has acknowledged; `check` runs while nothing
 * writes, after the server has come back, and throws when any of that is not as acknowledged. Uploads have
 * their own file.
 */
export type Kind = { name: string; write(scene: Scene): Promise<void>; check(scene: Scene): Promise<void> };

/** What is known of something whose last write may or may not have happened. */
const unknown = Symbol('unknown');
type Known<T> = T | typeof unknown;

/** How many of each kind are looked at after a kill: the newest are those that it could have cost. */
const newest = 30;

const pick = <T>(random: () => number, list: readonly T[]): T => {
  const picked = list[Math.floor(random() * list.length)];
  assert.ok(picked !== undefined);
  return picked;
};

/** Posts that stand, for the kinds that need one. Those whose deletion was asked for are not among them. */
export class Posts implements Kind {
  readonly name = 'posts';
  /** By id: the content, or null for one whose deletion was acknowledged. */
  readonly #known = new Map<string, Known<string | null>>();
  #standing: string[] = [];

  /** The id of a post that nobody deletes. */
  some(random: () => number): string | undefined {
    const recent = this.#standing.slice(-newest);
    return recent.length === 0 ? undefined : pick(random, recent);
  }

  async write({ admin, random, next }: Scene): Promise<void> {
    const number = next();
    const isDraft = random() < 0.3;
    const fields = {
      type: 'essay' as const,
      title: `Post ${number}`,
      description: 'Written to be killed.',
      tags: random() < 0.5 ? [`tag${number % 7}`] : [],
    };
    const content = `First words of ${number}.`;
    const created = await admin.call('createPost', { ...fields, content, isDraft });
    if (created === undefined) return;
    const { id } = created.post;
    this.#known.set(id, content);
    const fate = random();
    if (fate < 0.5) {
      const second = `Second words of ${number}.`;
      await this.#change(id, second, () =>
        admin.call('updatePost', { ...fields, postId: id, content: second, isDraft: false }),
      );
    }
    if (fate < 0.25) await this.#change(id, null, () => admin.call('deletePost', { postId: id }));
    else if (!isDraft) this.#standing.push(id);
  }

  async #change(id: string, to: string | null, act: () => Promise<unknown>): Promise<void> {
    this.#known.set(id, unknown);
    if ((await act()) !== undefined) this.#known.set(id, to);
  }

  async check({ admin }: Scene): Promise<void> {
    for (const [id, content] of [...this.#known].slice(-newest)) {
      if (content === unknown) continue;
      const answer = await admin.askPatiently('getPost', { postId: id });
      if (content === null) {
        assert.ok('status' in answer && answer.status === 404, `The deleted post ${id} is back.`);
      } else {
        assert.ok('result' in answer, `The post ${id} was acknowledged and is gone.`);
        const { post } = answer.result;
        assert.equal(
          post.type === 'essay' && post.content,
          content,
          `The post ${id} is not as acknowledged.`,
        );
      }
    }
  }
}

export class Likes implements Kind {
  readonly name = 'likes';
  readonly #posts: Posts;
  readonly #known = new Map<string, Known<boolean>>();

  constructor(posts: Posts) {
    this.#posts = posts;
  }

  async write({ members, random }: Scene): Promise<void> {
    const postId = this.#posts.some(random);
    if (postId === undefined) return;
    const member = Math.floor(random() * members.length);
    const liked = random() < 0.7;
    const key = `${member} ${postId}`;
    // Of two requests at the same moment nobody can know which the server handled last.
    if (this.#known.get(key) === unknown) return;
    this.#known.set(key, unknown);
    const answer = await members[member]?.call('setLike', { postId, liked });
    if (answer !== undefined) this.#known.set(key, liked);
  }

  async check({ members }: Scene): Promise<void> {
    for (const [key, liked] of [...this.#known]) {
      if (liked === unknown) this.#known.delete(key);
    }
    for (const [key, liked] of [...this.#known].slice(-newest)) {
      const [member = 0, postId = ''] = [Number(key.split(' ')[0]), key.split(' ')[1]];
      const answer = await members[member]?.call('getPost', { postId });
      // The member may not read every post.
      if (answer !== undefined)
        assert.equal(answer.post.isLiked, liked, `The like ${key} is not as acknowledged.`);
    }
  }
}

export class Comments implements Kind {
  readonly name = 'comments';
  readonly #posts: Posts;
  /** By id: the post, and whether it stands. */
  readonly #known = new Map<string, { postId: string; stands: Known<boolean> }>();

  constructor(posts: Posts) {
    this.#posts = posts;
  }

  async write({ members, random, next }: Scene): Promise<void> {
    const postId = this.#posts.some(random);
    if (postId === undefined) return;
    const member = pick(random, members);
    const added = await member.call('addComment', { postId, content: `Comment ${next()}` });
    if (added === undefined) return;
    const { id } = added.comment;
    this.#known.set(id, { postId, stands: true });
    if (random() < 0.6) return;
    this.#known.set(id, { postId, stands: unknown });
    if ((await member.call('deleteComment', { commentId: id })) !== undefined) {
      this.#known.set(id, { postId, stands: false });
    }
  }

  async check({ admin }: Scene): Promise<void> {
    for (const [id, { postId, stands }] of [...this.#known].slice(-newest)) {
      if (stands === unknown) continue;
      const { comments, commentCount, nextCursor } = await admin.result('listComments', { postId });
      if (nextCursor !== null) continue;
      assert.equal(comments.length, commentCount);
      const isThere = comments.some(comment => comment.id === id);
      assert.equal(isThere, stands, `The comment ${id} is not as acknowledged.`);
    }
  }
}

/** Decisions about accounts, which queue mails; a subscription, and the About text. */
export class Decisions implements Kind {
  readonly name = 'decisions';
  readonly #userIds: readonly string[];
  readonly #known = new Map<string, Known<'approved' | 'denied'>>();
  #about: Known<string> = unknown;
  readonly #subscribed = new Map<number, Known<boolean>>();

  constructor(userIds: readonly string[]) {
    this.#userIds = userIds;
  }

  async write({ admin, members, random, next }: Scene): Promise<void> {
    const userId = pick(random, this.#userIds);
    const isApproval = random() < 0.5;
    await this.#keep(this.#known, userId, isApproval ? 'approved' : 'denied', () =>
      isApproval
        ? admin.call('approveUser', { userId, tags: [`tag${next() % 7}`] })
        : admin.call('denyUser', { userId }),
    );
    const member = Math.floor(random() * members.length);
    const subscribed = random() < 0.5;
    await this.#keep(this.#subscribed, member, subscribed, async () =>
      members[member]?.call('setSubscription', { subscribed }),
    );
    const about = `About ${next()}.`;
    this.#about = unknown;
    if ((await admin.call('saveAbout', { content: about })) !== undefined) this.#about = about;
  }

  async #keep<K, V>(known: Map<K, Known<V>>, key: K, value: V, act: () => Promise<unknown>): Promise<void> {
    known.set(key, unknown);
    if ((await act()) !== undefined) known.set(key, value);
  }

  async check({ admin, members }: Scene): Promise<void> {
    for (const list of ['approved', 'denied'] as const) {
      const { users } = await admin.result('getUsers', { list, search: 'pending' });
      for (const [userId, status] of this.#known) {
        if (status === unknown) continue;
        const isListed = users.some(user => user.id === userId);
        assert.equal(isListed, status === list, `The decision about ${userId} is not as acknowledged.`);
      }
    }
    for (const [member, subscribed] of this.#subscribed) {
      if (subscribed === unknown) continue;
      const answer = await members[member]?.result('getSubscription', {});
      assert.equal(
        answer?.isSubscribed,
        subscribed,
        `The subscription of member ${member + 1} is not as acknowledged.`,
      );
    }
    const { about } = await admin.result('getSettings', {});
    if (this.#about !== unknown)
      assert.equal(about.content, this.#about, 'The About text is not as acknowledged.');
  }
}
