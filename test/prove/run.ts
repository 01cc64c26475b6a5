import { setTimeout as sleep } from 'node:timers/promises';
import { allQuestions } from './ask/all.ts';
import { type Finding, leak, type Question } from './ask/question.ts';
import { nextStep } from './generate.ts';
import { leaksIn } from './leaks.ts';
import { differenceOfOutcome } from './matches.ts';
import { begin, newAccount } from './model/account-acts.ts';
import { type Asked, act, isAsked, type Told } from './model/acts.ts';
import { credentialOf, newestSession } from './model/caller.ts';
import { type Credential, holderOf, knowable, type Viewer, viewerBy } from './model/rule.ts';
import { emptyWorld, standing, type World } from './model/world.ts';
import { type Outcome, outcomeOf, requestOf } from './perform.ts';
import type { Place } from './place.ts';
import type { Random } from './random.ts';
import type { DeedOf, Step } from './steps.ts';
import { Stream } from './streams.ts';
import { type Answer, type Ask, callOf, headersOf, Wire } from './wire.ts';
import { wordFor } from './words.ts';

/** How much was done and asked. */
export type Tally = { steps: number; questions: number; comparisons: number };

type Options = {
  /** Everything is asked after so many steps, and at the end; in between only some of it. */
  sweepEvery: number;
  tally: Tally;
};

const streamsAtOnce = 4;
const askedAtOnce = 8;
/** How long a process may be too busy to look at what has changed, in milliseconds. */
const busyMs = 60_000;
/** Questions after a step about what it touched or by whom it concerns, and others. */
const concernedAsked = 60;
const othersAsked = 25;

type Asking = { question: Question; credential: Credential };

/** One history, played on a site and in the model beside it. */
export class Run {
  readonly #place: Place;
  readonly #wire: Wire;
  readonly #random: Random;
  readonly #options: Options;
  /** What may be true: more than one world where steps went on at once and their order does not show yet. */
  #worlds: World[] = [emptyWorld()];
  readonly #streams = new Map<string, Stream>();
  readonly #seen = new Map<string, string[]>();
  readonly #tally: Tally;

  constructor(place: Place, random: Random, options: Options) {
    this.#place = place;
    this.#wire = new Wire(place.urls);
    this.#random = random;
    this.#options = options;
    this.#tally = options.tally;
  }

  get world(): World {
    return this.#worlds[0] ?? emptyWorld();
  }

  /** Makes the first admin, `u0`, with the session `s0`. */
  async open(): Promise<void> {
    const account = newAccount(0, {});
    const { username, fullName: name, password } = account;
    const input = {
      token: this.#place.setupToken,
      account: { username, name, email: `${username}@example.com`, password },
    };
    const ask = callOf('setUpSite', input, { 'user-agent': wordFor('device at 0') });
    const outcome = outcomeOf({ at: 0, do: 'signUp' }, await this.#wire.send(0, ask));
    if (outcome === 'lost' || 'refusal' in outcome) throw new Error(`No admin: ${JSON.stringify(outcome)}`);
    const told: Told = outcome.told;
    const admin = { ...account, id: told.id ?? '', status: 'approved' as const, isAdmin: true };
    this.world.accounts.u0 = admin;
    begin(this.world, admin, 0, told);
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.close();
    this.#wire.close();
  }

  next(at: number): Step {
    return nextStep(this.world, this.#random, at, this.#place.moveClock !== undefined);
  }

  /** Does a step, and asks what must hold afterwards. Returns what is wrong. */
  async play(step: Step, isLast: boolean): Promise<string[]> {
    this.#place.moveClock?.(1_000);
    const findings = await this.#do(step);
    if (findings.length > 0) return findings;
    this.#tally.steps += 1;
    await this.#place.catchUp?.();
    for (const [name, stream] of this.#streams) {
      const told = await stream.settle(this.#worlds, step.do !== 'together');
      if (told.length > 0) return told.map(finding => finding.text);
      if (stream.isOver) this.#streams.delete(name);
    }
    const isSweep = isLast || this.#tally.steps % this.#options.sweepEvery === 0;
    return await this.#ask(step, isSweep);
  }

  async #do(step: Step): Promise<string[]> {
    switch (step.do) {
      case 'together':
        return await this.#doTogether(step.steps);
      case 'moveClock':
        this.#place.moveClock?.(step.ms);
        return [];
      case 'closeStream':
        this.#streams.get(step.stream)?.close();
        this.#streams.delete(step.stream);
        return [];
      case 'openStream':
        return await this.#openStream(step);
      default:
        return isAsked(step) ? await this.#doTogether([step]) : [];
    }
  }

  /** Does steps at once. Some order of them must explain every answer; all worlds that do are kept. */
  async #doTogether(steps: readonly Step[]): Promise<string[]> {
    const world = this.world;
    const asked = await Promise.all(
      steps.filter(isAsked).map(async step => {
        const ask = await requestOf(world, step, this.#wire, this.#process());
        return ask && { step, ask };
      }),
    );
    const sent = asked.filter(one => one !== undefined);
    if (sent.length === 0) return [];
    const done = await Promise.all(
      sent.map(async ({ step, ask }) => ({
        step,
        outcome: outcomeOf(step, await this.#wire.send(this.#process(), { ...ask, isChange: true })),
      })),
    );
    const explained = this.#worlds.flatMap(before => orders(done).map(order => explain(before, order)));
    const worlds = explained.flatMap(each => ('world' in each ? [each.world] : []));
    this.#tally.comparisons += explained.length;
    if (worlds.length === 0)
      return [explained.flatMap(each => ('text' in each ? [each.text] : []))[0] ?? 'nothing'];
    this.#worlds = distinct(worlds);
    return [];
  }

  async #openStream({ at, by, posts: names }: DeedOf<'openStream'>): Promise<string[]> {
    const world = this.world;
    const credential = credentialOf(world, by);
    const posts = names.filter(name => world.posts[name] !== undefined);
    if (credential === undefined || posts.length === 0) return [];
    const [oldest] = this.#streams;
    if (oldest !== undefined && this.#streams.size >= streamsAtOnce) {
      oldest[1].close();
      this.#streams.delete(oldest[0]);
    }
    const name = `l${at}`;
    const opened = await Stream.open(name, { world, credential, posts }, this.#wire, this.#process());
    if (opened instanceof Stream) this.#streams.set(name, opened);
    else if (opened !== undefined) return [opened.text];
    return [];
  }

  #process(): number {
    return this.#random.below(this.#wire.processes);
  }

  /** Asks what the step may have changed, of those whom it may concern, and some of all else; or everything. */
  async #ask(step: Step, isSweep: boolean): Promise<string[]> {
    const questions = allQuestions(this.world, path => this.#seen.get(path) ?? []);
    const touched = touchedBy(step, this.world);
    const isConcerned = ({ question, credential }: Asking) =>
      touched.accounts.includes(accountOf(this.world, credential)) ||
      touched.ids.some(id => question.title.includes(id));
    const all = this.#random.shuffled(
      this.#credentials().flatMap(credential => questions.map(question => ({ credential, question }))),
    );
    const always = all.filter(({ question }) => alwaysAsked.test(question.title));
    const some = [...all.filter(isConcerned).slice(0, concernedAsked), ...all.slice(0, othersAsked)];
    const chosen = isSweep ? all : [...new Set([...always, ...some])];
    const findings: string[] = [];
    const lane = async () => {
      for (let next = chosen.shift(); next !== undefined && findings.length === 0; next = chosen.shift()) {
        findings.push(...(await this.#askOne(next.question, next.credential)));
      }
    };
    await Promise.all(Array.from({ length: askedAtOnce }, lane));
    return findings.slice(0, 5);
  }

  /** Everybody by their newest session, and a few of all that somebody may still hold. */
  #credentials(): Credential[] {
    const world = this.world;
    const sessions = standing(world.accounts).flatMap(account => newestSession(world, account.name) ?? []);
    const others = this.#random.shuffled([
      ...Object.values(world.sessions).flatMap(({ name: session }): Credential[] => [
        { by: 'cookie', session },
        { by: 'bearer', session },
      ]),
      ...Object.keys(world.tokens).map((token): Credential => ({ by: 'token', token })),
    ]);
    return [
      { by: 'nothing' },
      ...sessions.map(({ name }): Credential => ({ by: 'cookie', session: name })),
      ...others.slice(0, 4),
    ];
  }

  async #askOne(question: Question, credential: Credential): Promise<string[]> {
    const process = this.#process();
    const start = performance.now();
    for (;;) {
      const { findings, isUnavailable } = await this.#askOnce(question, credential, process);
      if (findings.length === 0) return [];
      // On a machine that is too busy, a process that cannot look at what has changed says so instead of guessing.
      if (!isUnavailable || performance.now() - start > busyMs) {
        const who = describeCredential(this.world, credential);
        return findings.map(({ text }) => `${question.title}, asked by ${who}: ${text}`);
      }
      await sleep(200);
    }
  }

  async #askOnce(question: Question, credential: Credential, process: number) {
    this.#tally.questions += 1;
    const headers = { ...this.#manner(), ...headersOf(this.world, credential) };
    const asked: string[] = [];
    const answers = await question.ask(async ask => {
      asked.push(`${ask.path} ${ask.body ?? ''}`);
      const answer = await this.#wire.send(process, { ...ask, headers: { ...headers, ...ask.headers } });
      this.#note(ask, answer);
      return answer;
    });
    const judged = this.#worlds.map(world => ({
      world,
      findings: this.#judge(question, credential, world, answers, asked.join(' ')),
    }));
    const right = judged.filter(({ findings }) => findings.length === 0);
    const isUnavailable = answers.some(answer => answer.status === 503);
    if (right.length === 0) return { findings: judged[0]?.findings ?? [], isUnavailable };
    this.#worlds = right.map(({ world }) => world);
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

  /** Other ways to ask the same. */
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

/** What everybody looks at after each step, so that what is kept of it was asked for before the next one, too. */
const alwaysAsked = /^(getPosts \{"page":1,"filtTags":\[\]\}|getTags)/;

function accountOf(world: World, credential: Credential): string {
  const holder = holderOf(credential) ?? '';
  return (world.sessions[holder] ?? world.tokens[holder])?.account ?? '';
}

const knownIn = new WeakMap<World, Map<string, Set<string>>>();

/** What may stand in an answer to a viewer. */
function allowedFor(world: World, viewer: Viewer | null, also: readonly string[]): ReadonlySet<string> {
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
  if (step.do === 'together') {
    const all = step.steps.map(each => touchedBy(each, world));
    return { accounts: all.flatMap(each => each.accounts), ids: all.flatMap(each => each.ids) };
  }
  const names = Object.values(step).filter(value => typeof value === 'string');
  names.push(`p${step.at}`, `f${step.at}`, `u${step.at}`);
  const accounts = 'who' in step ? [step.who] : 'by' in step ? [step.by] : [];
  const ids = names.flatMap(name => [world.posts[name]?.id, world.files[name]?.id]);
  return { accounts, ids: ids.filter(id => id !== undefined) };
}

type Done = { step: DeedOf<Asked>; outcome: Outcome };

const roleDeeds = new Set<string>(['setAdmin', 'setAuthor', 'deny', 'decideMany', 'undo']);

/** Plays steps in the model, in one order, beside what the server answered. */
function explain(before: World, order: readonly Done[]): { world: World } | { text: string } {
  const world = structuredClone(before);
  for (const { step, outcome } of order) {
    if (outcome === 'lost') continue;
    // An admin or author who lost the role in the middle of it is told so, and has done nothing.
    if ('refusal' in outcome && outcome.refusal === 'aborted' && order.some(isAboutRole)) continue;
    const expected = act(world, step, 'told' in outcome ? outcome.told : {});
    const text = differenceOfOutcome(expected, outcome);
    if (text !== undefined) return { text: `${step.do}: ${text}` };
  }
  return { world };
}

const isAboutRole = ({ step }: Done) => roleDeeds.has(step.do);

function orders<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((one, index) => orders(all.toSpliced(index, 1)).map(rest => [one, ...rest]));
}

function distinct(worlds: readonly World[]): World[] {
  return [...new Map(worlds.map(world => [JSON.stringify(world), world])).values()];
}

export function describeCredential(world: World, credential: Credential): string {
  if (credential.by === 'nothing') return 'a visitor';
  const held =
    credential.by === 'token' ? world.tokens[credential.token] : world.sessions[credential.session];
  const account = world.accounts[held?.account ?? ''];
  const state = account?.isGone ? 'deleted' : account?.isAdmin ? 'admin' : account?.status;
  const what = credential.by === 'token' ? 'access token' : credential.by;
  return `${held?.account} (${state}, ${what} ${held?.name}${held?.isOpen ? '' : ', ended'})`;
}
