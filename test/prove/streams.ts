import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, leak, wrong } from './ask/question.ts';
import { leaksIn } from './leaks.ts';
import { difference } from './matches.ts';
import { viewerAnswer } from './model/account-answers.ts';
import { credentialOf } from './model/caller.ts';
import { countedComments } from './model/comment-acts.ts';
import { type Credential, knowable, mayReadComments, readablePosts, viewerBy } from './model/rule.ts';
import { existing, type World } from './model/world.ts';
import type { DeedOf } from './steps.ts';
import { headersOf, type Wire } from './wire.ts';

/**
 * How long an event of a stream may take, in milliseconds. Decision 31 says a second; a busy machine gets
 * more.
 */
const tellWithinMs = 30_000;
/** The longest pause between two looks at the events, in milliseconds. */
const longestPauseMs = 100;

/** How many streams are open at most: more would only repeat the same events. */
const streamsAtOnce = 4;

type Told = { commentCount: number; likeCount: number; comments: Set<string> };

type Event = { postId?: string; commentCount?: number; likeCount?: number; added?: { id: string }[] };

/** An open stream of one session, and its events. */
class Stream {
  readonly name: string;
  readonly credential: Credential;
  readonly #incoming: IncomingMessage;
  /** Names of the posts that it still follows. */
  readonly #following: Set<string>;
  readonly #told = new Map<string, Told | 'gone'>();
  #viewer: unknown;
  #hasEnded = false;
  #unread = '';
  /** The events since the last look. */
  #fresh = '';
  /** A post with an event after the event that it is gone. */
  #toldTooLate: string | undefined;
  /** The words and ids that its viewer might know at the last look. */
  #knew: ReadonlySet<string> = new Set();
  /** The posts that its viewer could read at the last look. */
  #read: ReadonlySet<string> = new Set();
  /** Names of the comments from before the stream was opened. */
  readonly #before: ReadonlySet<string>;
  readonly #names: ReadonlyMap<string, string>;

  private constructor(
    name: string,
    credential: Credential,
    incoming: IncomingMessage,
    posts: string[],
    world: World,
  ) {
    this.name = name;
    this.credential = credential;
    this.#incoming = incoming;
    this.#following = new Set(posts);
    this.#before = new Set(Object.keys(world.comments));
    this.#names = new Map(posts.map(post => [world.posts[post]?.id ?? '', post]));
    incoming.setEncoding('utf8');
    incoming.on('data', (text: string) => this.#hear(text));
    incoming.on('close', () => {
      this.#hasEnded = true;
    });
    incoming.on('error', () => {});
  }

  /** Opens a stream, or returns the finding. Undefined for visitors and access tokens, who get no stream. */
  static async open(
    name: string,
    { world, credential, posts }: { world: World; credential: Credential; posts: string[] },
    wire: Wire,
    process: number,
  ): Promise<Stream | Finding | undefined> {
    const ids = posts.flatMap(post => world.posts[post]?.id ?? []);
    const path = `/live?${ids.map(id => `post=${id}`).join('&')}`;
    const incoming = await wire.open(process, { path, headers: headersOf(world, credential) });
    const viewer = viewerBy(world, credential);
    const expected = viewer === null ? 401 : viewer.account === null || credential.by === 'token' ? 204 : 200;
    if (incoming.statusCode !== expected) {
      incoming.destroy();
      const text = `opening ${name} is answered ${incoming.statusCode}, not ${expected}`;
      return incoming.statusCode === 200 ? leak(text) : wrong(text);
    }
    if (expected === 200) return new Stream(name, credential, incoming, posts, world);
    incoming.resume();
    return undefined;
  }

  close(): void {
    this.#incoming.destroy();
  }

  get isOver(): boolean {
    return this.#hasEnded;
  }

  /**
   * Waits for the events that one of these worlds asks for, and looks at every word of the events since the
   * last time. `isSure` is false if several steps ran at once: then a post may have been closed for a moment.
   */
  async settle(worlds: readonly World[], isSure: boolean): Promise<Finding[]> {
    const start = performance.now();
    let late = worlds.map(world => this.#lacks(world, isSure));
    let pauseMs = 2;
    while (late.every(lack => lack !== undefined)) {
      if (performance.now() - start > tellWithinMs) return [wrong(`${this.name}: ${late[0]}`)];
      await sleep(pauseMs);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      late = worlds.map(world => this.#lacks(world, isSure));
    }
    const world = worlds[late.indexOf(undefined)];
    if (world === undefined) return [];
    for (const [post, told] of this.#told) if (told === 'gone') this.#following.delete(post);
    if (this.#toldTooLate !== undefined)
      return [leak(`${this.name} goes on telling of ${this.#toldTooLate}, which was gone`)];
    return this.#leaks(world, isSure);
  }

  #leaks(world: World, isSure: boolean): Finding[] {
    const text = this.#fresh;
    this.#fresh = '';
    const viewer = viewerBy(world, this.credential) ?? viewerBy(world, { by: 'nothing' });
    const known = viewer === null ? new Set<string>() : knowable(world, viewer);
    // Of steps at once, a comment may have come before its reader lost the post.
    const comments = isSure ? [] : existing(world.comments).filter(({ post }) => this.#read.has(post));
    const heard = comments.flatMap(({ id, word, author }) => [
      id,
      word,
      world.accounts[author ?? '']?.id ?? '',
      world.accounts[author ?? '']?.username ?? '',
      world.accounts[author ?? '']?.fullName ?? '',
    ]);
    // Whoever opened it named these posts.
    const allowed = new Set([...known, ...this.#knew, ...this.#names.keys(), ...heard]);
    this.#knew = known;
    this.#read = new Set(viewer === null ? [] : readablePosts(world, viewer).map(({ name }) => name));
    return leaksIn(world, text, allowed).map(found => leak(`${this.name} tells ${found}`));
  }

  /** The event that is still missing; undefined if all are there. */
  #lacks(world: World, isSure: boolean): string | undefined {
    const viewer = viewerBy(world, this.credential);
    if (viewer === null || viewer.account === null) return this.#hasEnded ? undefined : 'it has not ended';
    if (this.#hasEnded) return 'it has ended';
    const expected = viewerAnswer(viewer);
    const ofViewer =
      'result' in expected ? difference(expected.result, this.#viewer, 'the viewer') : undefined;
    if (ofViewer !== undefined) return ofViewer;
    for (const name of this.#following) {
      const post = world.posts[name];
      const told = this.#told.get(name);
      if (post === undefined) continue;
      if (told === undefined) return `nothing is told of ${name}`;
      const isReadable = mayReadComments(viewer, post);
      if (!isReadable && told !== 'gone') return `${name} is not told to be gone`;
      if (isReadable && told === 'gone' && isSure) return `${name} is told to be gone`;
      if (told === 'gone') continue;
      const comments = countedComments(world, post);
      const counts = { commentCount: comments.length, likeCount: post.likes.length };
      const ofPost = difference(counts, told, name);
      if (ofPost !== undefined) return ofPost;
      const untold = comments.find(({ name: of, id }) => !this.#before.has(of) && !told.comments.has(id));
      if (untold !== undefined) return `the comment ${untold.name} is not told`;
    }
    return undefined;
  }

  #hear(text: string): void {
    this.#fresh += text;
    this.#unread += text;
    for (let end = this.#unread.indexOf('\n\n'); end >= 0; end = this.#unread.indexOf('\n\n')) {
      const lines = this.#unread.slice(0, end).split('\n');
      this.#unread = this.#unread.slice(end + 2);
      const event = lines.find(line => line.startsWith('event: '))?.slice(7);
      const data = lines.find(line => line.startsWith('data: '))?.slice(6);
      if (event !== undefined && data !== undefined) this.#take(event, JSON.parse(data));
    }
  }

  #take(event: string, data: Event): void {
    if (event === 'viewer') this.#viewer = data;
    const post = this.#names.get(data.postId ?? '');
    if (post === undefined) return;
    if (this.#told.get(post) === 'gone') this.#toldTooLate ??= post;
    if (event === 'gone') this.#told.set(post, 'gone');
    const { commentCount = -1, likeCount = -1, added = [] } = data;
    const told = this.#told.get(post);
    const comments = new Set(typeof told === 'object' ? told.comments : []);
    for (const { id } of added) comments.add(id);
    if (event === 'state' || event === 'comments')
      this.#told.set(post, { commentCount, likeCount, comments });
  }
}

/** The open streams of a history. */
export class Streams {
  readonly #open = new Map<string, Stream>();

  /** Opens a stream, and closes the oldest if there are too many. Returns the findings. */
  async open(
    { at, by, posts: names }: DeedOf<'openStream'>,
    world: World,
    wire: Wire,
    process: number,
  ): Promise<string[]> {
    const credential = credentialOf(world, by);
    const posts = names.filter(name => world.posts[name] !== undefined);
    if (credential === undefined || posts.length === 0) return [];
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= streamsAtOnce) this.close(oldest);
    const name = `l${at}`;
    const opened = await Stream.open(name, { world, credential, posts }, wire, process);
    if (opened instanceof Stream) this.#open.set(name, opened);
    return opened === undefined || opened instanceof Stream ? [] : [opened.text];
  }

  /** Waits as {@link Stream.settle} does, and removes the streams that have ended. Returns the findings. */
  async settle(worlds: readonly World[], isSure: boolean): Promise<string[]> {
    for (const [name, stream] of this.#open) {
      const told = await stream.settle(worlds, isSure);
      if (told.length > 0) return told.map(finding => finding.text);
      if (stream.isOver) this.#open.delete(name);
    }
    return [];
  }

  close(name: string): void {
    this.#open.get(name)?.close();
    this.#open.delete(name);
  }

  closeAll(): void {
    for (const name of this.#open.keys()) this.close(name);
  }
}
