import { setTimeout as sleep } from 'node:timers/promises';
import { allQuestions } from './ask/all.ts';
import { type Finding, leak, type Question } from './ask/question.ts';
import { describeCredential } from './describe.ts';
import { leaksIn } from './leaks.ts';
import { newestSession } from './model/caller.ts';
import { type Credential, holderOf, knowable, type Viewer, viewerBy } from './model/rule.ts';
import { existing, type Session, type World } from './model/world.ts';
import type { Random } from './random.ts';
import type { Step } from './steps.ts';
import { type Answer, type Ask, headersOf, type Wire } from './wire.ts';

/** How many steps were done and how many questions asked. */
export type Tally = { steps: number; questions: number; comparisons: number; kills?: number };

const askedAtOnce = 8;
/** How long a process may be too busy to poll the record of changes, in milliseconds. */
const busyMs = 60_000;
/**
 * How much is asked after a step: everything, some of it, or little while the first steps only make the
 * world.
 */
export type Extent = 'all' | 'some' | 'few';

/** How many questions follow a step: those about what it touched or by those whom it concerns, and others. */
const asked = { some: { concerned: 60, others: 25 }, few: { concerned: 8, others: 4 } };

export type Asking = { question: Question; credential: Credential };

/** Asks a site as everybody, and compares the answers with the model. */
export class Asker {
  readonly #wire: Wire;
  readonly #random: Random;
  readonly #tally: Tally;
  /** The worlds that may be true. After a right answer only those remain that it agrees with. */
  worlds: readonly World[] = [];
  /** The entity tags that anybody was sent with an address. */
  readonly #seen = new Map<string, string[]>();
  /** Names of the sessions and access tokens that were valid at the last choice. */
  #good: ReadonlySet<string> = new Set();

  constructor(wire: Wire, random: Random, tally: Tally) {
    this.#wire = wire;
    this.#random = random;
    this.#tally = tally;
  }

  /** The questions in random order: all of them, or those that a step may concern. */
  choose(world: World, step: Step, extent: Extent): Asking[] {
    const questions = allQuestions(world, path => this.#seen.get(path) ?? []);
    const ended = this.#justEnded(world);
    const all = this.#random.shuffled(
      [...ended, ...this.#credentials(world, step)].flatMap(credential =>
        questions.map(question => ({ credential, question })),
      ),
    );
    if (extent === 'all') return all;
    const { concerned, others } = asked[extent];
    const touched = touchedBy(step, world);
    const isConcerned = ({ question, credential }: Asking) =>
      touched.accounts.includes(accountOf(world, credential)) ||
      touched.ids.some(id => question.title.includes(id));
    const isAlwaysAsked = ({ question, credential }: Asking) =>
      alwaysAsked.test(question.title) ||
      (ended.includes(credential) && question.title.startsWith('getViewer'));
    const always = extent === 'few' ? [] : all.filter(isAlwaysAsked);
    const some = [...all.filter(isConcerned).slice(0, concerned), ...all.slice(0, others)];
    return [...new Set([...always, ...some])];
  }

  /**
   * Asks several questions at a time, each of the process that is chosen for it. Returns the first findings.
   */
  async ask(chosen: Asking[], processOf: () => number): Promise<string[]> {
    const findings: string[] = [];
    const lane = async () => {
      for (let next = chosen.shift(); next !== undefined && findings.length === 0; next = chosen.shift()) {
        findings.push(...(await this.#askOne(next, processOf())));
      }
    };
    await Promise.all(Array.from({ length: askedAtOnce }, lane));
    return findings.slice(0, 5);
  }

  /**
   * Everybody's newest session, the tokens that are valid or concern the step, and a few other credentials
   * that somebody may hold.
   */
  #credentials(world: World, step: Step): Credential[] {
    const named = Object.values(step);
    const tokens = Object.values(world.tokens).filter(
      ({ name, secret, isOpen }) => secret !== '' && (isOpen || named.includes(name)),
    );
    const sessions = existing(world.accounts).flatMap(account => newestSession(world, account.name) ?? []);
    const others = this.#random.shuffled([
      ...Object.values(world.sessions).flatMap(credentialsOf),
      ...Object.values(world.tokens)
        .filter(token => token.secret !== '' && !tokens.includes(token))
        .map(({ name: token }): Credential => ({ by: 'token', token })),
    ]);
    return [
      { by: 'nothing' },
      ...sessions.map(({ name }): Credential => ({ by: 'cookie', session: name })),
      ...tokens.map(({ name: token }): Credential => ({ by: 'token', token })),
      ...others.slice(0, 4),
    ];
  }

  /** The credentials that were valid at the last choice and no longer are: their holders try them again. */
  #justEnded(world: World): Credential[] {
    const sessions = Object.values(world.sessions);
    const tokens = Object.values(world.tokens);
    const hasEnded = ({ name, isOpen }: { name: string; isOpen: boolean }) => !isOpen && this.#good.has(name);
    const ended = [
      ...sessions.filter(hasEnded).flatMap(credentialsOf),
      ...tokens.filter(hasEnded).map(({ name: token }): Credential => ({ by: 'token', token })),
    ];
    this.#good = new Set([...sessions, ...tokens].filter(({ isOpen }) => isOpen).map(({ name }) => name));
    return ended;
  }

  async #askOne({ question, credential }: Asking, process: number): Promise<string[]> {
    const start = performance.now();
    for (;;) {
      const { findings, isUnavailable } = await this.#askOnce(question, credential, process);
      if (findings.length === 0) return [];
      // On a machine that is too busy, a process that cannot poll the record says so instead of
      // guessing.
      if (!isUnavailable || performance.now() - start > busyMs) {
        const who = describeCredential(this.#world, credential);
        return findings.map(({ text }) => `${question.title}, asked by ${who}: ${text}`);
      }
      await sleep(200);
    }
  }

  get #world(): World {
    const [world] = this.worlds;
    if (world === undefined) throw new Error('There is no world left.');
    return world;
  }

  async #askOnce(question: Question, credential: Credential, process: number) {
    this.#tally.questions += 1;
    const headers = { ...this.#manner(), ...headersOf(this.#world, credential) };
    const asked: string[] = [];
    const answers = await question.ask(async ask => {
      asked.push(`${ask.path} ${ask.body ?? ''}`);
      const answer = await this.#wire.send(process, { ...ask, headers: { ...headers, ...ask.headers } });
      this.#note(ask, answer);
      return answer;
    });
    const judged = this.worlds.map(world => ({
      world,
      findings: this.#judge(question, credential, world, answers, asked.join(' ')),
    }));
    const right = judged.filter(({ findings }) => findings.length === 0);
    const isUnavailable = answers.some(answer => answer.status === 503);
    if (right.length === 0) return { findings: judged[0]?.findings ?? [], isUnavailable };
    this.worlds = right.map(({ world }) => world);
    return { findings: [], isUnavailable };
  }

  #judge(
    question: Question,
    credential: Credential,
    world: World,
    answers: readonly Answer[],
    asked: string,
  ): Finding[] {
    const viewer = viewerBy(world, credential);
    const visitor = viewerBy(world, { by: 'nothing' });
    const also = question.also?.(world, viewer) ?? [];
    const own = allowedFor(world, viewer ?? visitor, also);
    const open = allowedFor(world, visitor, []);
    const findings = question.judge(world, viewer, answers);
    for (const { headers, cookies, bytes } of answers) {
      this.#tally.comparisons += 1;
      const text = `${JSON.stringify(headers)} ${cookies} ${bytes}`;
      const isPublic = /public/.test(headers['cache-control'] ?? '');
      const found = leaksIn(world, text, isPublic ? open : own, asked);
      const how = isPublic ? ', in an answer for shared caches' : '';
      findings.push(...found.map(word => leak(`it shows ${word}${how}`)));
    }
    return findings;
  }

  /** The same question, asked in other ways. */
  #manner(): Record<string, string> {
    const manner = this.#random.below(6);
    if (manner === 0) return { 'accept-encoding': 'gzip' };
    if (manner === 1) return { 'accept-encoding': 'br' };
    return {};
  }

  #note({ path }: Ask, { headers }: Answer): void {
    const { etag } = headers;
    if (etag === undefined) return;
    const known = this.#seen.get(path) ?? [];
    if (known.at(-1) !== etag) this.#seen.set(path, [...known.filter(tag => tag !== etag), etag].slice(-8));
  }
}

/** What everybody asks after each step, so that caches hold the answers when the next step comes. */
const alwaysAsked = /^(getPosts \{"page":1,"filtTags":\[\]\}|getTags)/;

/** The credentials of a session, as far as the server has sent them. */
function credentialsOf({ name: session, cookie, bearer }: Session): Credential[] {
  return [
    ...(cookie === '' ? [] : [{ by: 'cookie' as const, session }]),
    ...(bearer === '' ? [] : [{ by: 'bearer' as const, session }]),
  ];
}

function accountOf(world: World, credential: Credential): string {
  const holder = holderOf(credential) ?? '';
  return (world.sessions[holder] ?? world.tokens[holder])?.account ?? '';
}

const knownIn = new WeakMap<World, Map<string, Set<string>>>();

/** The words and ids that an answer to a viewer may hold. */
export function allowedFor(
  world: World,
  viewer: Viewer | null,
  also: readonly string[],
): ReadonlySet<string> {
  if (viewer === null) return new Set();
  const ofWorld = knownIn.get(world) ?? new Map<string, Set<string>>();
  knownIn.set(world, ofWorld);
  const key = viewer.account?.name ?? '';
  const known = ofWorld.get(key) ?? knowable(world, viewer);
  ofWorld.set(key, known);
  return also.length === 0 ? known : new Set([...known, ...also]);
}

/** The accounts that a step concerns, and the ids of the posts and files that it names or made. */
function touchedBy(step: Step, world: World): { accounts: string[]; ids: string[] } {
  if ('steps' in step) {
    const all = step.steps.map(each => touchedBy(each, world));
    return { accounts: all.flatMap(each => each.accounts), ids: all.flatMap(each => each.ids) };
  }
  const names = Object.values(step).filter(value => typeof value === 'string');
  names.push(`p${step.at}`, `f${step.at}`, `u${step.at}`);
  const by = 'by' in step ? step.by.replace('*', '') : '';
  const holder = (world.sessions[by] ?? world.tokens[by])?.account ?? by;
  const accounts = 'who' in step ? [step.who] : [holder];
  const ids = names.flatMap(name => [world.posts[name]?.id, world.files[name]?.id]);
  return { accounts, ids: ids.filter(id => id !== undefined) };
}
