import { setTimeout as sleep } from 'node:timers/promises';
import { Asker, type Asking, type Extent, type Tally } from './asking.ts';
import { type Archive, Backups } from './backups.ts';
import { type Done, distinct, explanations } from './explain.ts';
import { damage, findLost } from './find-lost.ts';
import { makeFirstAdmin } from './first-admin.ts';
import { nextStep } from './generate.ts';
import { judgeMails, readMail } from './mails.ts';
import { isAsked } from './model/acts.ts';
import { asItWasSent } from './model/caller.ts';
import { restored } from './model/restored.ts';
import { emptyWorld, type World } from './model/world.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Place, Processes } from './place.ts';
import type { Random } from './random.ts';
import { requestOf } from './requests/all.ts';
import { runCommand } from './run-command.ts';
import { confirmSignIns } from './server.ts';
import type { DeedOf, Step } from './steps.ts';
import { Streams } from './streams.ts';
import { type Ask, Wire } from './wire.ts';

export type RunOptions = {
  /** Opens a site that is restored from a backup. */
  open(archive: Archive): Promise<Place>;
  /** After so many steps everything is asked, and at the end; in between only some questions are. */
  sweepEvery: number;
  /** The first so many steps only make the world, and are followed by only a few questions. */
  quietSteps?: number;
  tally: Tally;
};

/** A step with its request. */
type Sent = { step: Done['step']; ask: Ask };

/** Questions that wait for a process that is frozen. */
const askedOfFrozen = 60;

/** One history, played on a site and in the model. */
export class Run {
  #place: Place;
  readonly #wire: Wire;
  readonly #random: Random;
  readonly #options: RunOptions;
  readonly #asker: Asker;
  readonly #streams = new Streams();
  readonly #backups = new Backups();
  /** The processes that can be asked at present. */
  #awake: number[];
  #played = 0;

  constructor(place: Place, random: Random, options: RunOptions) {
    this.#place = place;
    this.#wire = new Wire(place.urls);
    this.#random = random;
    this.#options = options;
    this.#asker = new Asker(this.#wire, random, options.tally);
    this.#asker.worlds = [emptyWorld()];
    this.#awake = place.urls.map((_, index) => index);
  }

  /**
   * A world that may be true. There are several while the order of steps that ran at once is not known yet.
   */
  get world(): World {
    return this.#asker.worlds[0] ?? emptyWorld();
  }

  /** Makes the first admin, `u0`, with the session `s0`. */
  async open(): Promise<void> {
    await this.#moveClock(0);
    await makeFirstAdmin(this.world, this.#wire, this.#place.setupToken);
  }

  async close(): Promise<void> {
    this.#streams.closeAll();
    this.#wire.close();
    await this.#place.close();
    await this.#backups.close();
  }

  next(at: number, often: readonly string[] = []): Step {
    const { processes, urls } = this.#place;
    const hasDatabase = processes?.killDatabase !== undefined;
    return nextStep(this.world, this.#random, at, {
      often,
      processes: processes && urls.length,
      hasDatabase,
      backups: this.#backups.names,
    });
  }

  /** Does a step, and asks questions afterwards. Returns the findings. */
  async play(step: Step, isLast: boolean): Promise<string[]> {
    await this.#moveClock(1_000);
    const findings = await this.#do(step);
    if (findings.length > 0) return findings;
    this.#options.tally.steps += 1;
    await this.#place.catchUp();
    const ofMails = await this.#judgeMails();
    if (ofMails.length > 0) return ofMails;
    const ofStreams = await this.#streams.settle(this.#asker.worlds, !('steps' in step));
    if (ofStreams.length > 0) return ofStreams;
    const { tally, sweepEvery } = this.#options;
    const isSweep = isLast || ['kill', 'restore'].includes(step.do) || tally.steps % sweepEvery === 0;
    this.#played += 1;
    const isQuiet = this.#played <= (this.#options.quietSteps ?? 0);
    return await this.#ask(step, isSweep ? 'all' : isQuiet ? 'few' : 'some');
  }

  /** Asks every question as everybody. Returns the findings. */
  async sweep(last: Step): Promise<string[]> {
    return await this.#ask(last, 'all');
  }

  async #ask(step: Step, extent: Extent): Promise<string[]> {
    return await this.#asker.ask(this.#asker.choose(this.world, step, extent), () => this.#process());
  }

  async #do(step: Step): Promise<string[]> {
    const { processes } = this.#place;
    switch (step.do) {
      case 'together':
        return await this.#doTogether(step.steps);
      case 'kill':
        return processes === undefined
          ? await this.#doTogether(step.steps)
          : await this.#kill(step, processes);
      case 'freeze':
        return processes === undefined
          ? await this.#doInOrder(step.steps)
          : await this.#freeze(step, processes);
      case 'backUp':
        await this.#backups.make(`b${step.at}`, this.#place.location, this.#asker.worlds);
        return [];
      case 'restore':
        return await this.#restore(step);
      case 'importPost':
      case 'answerByMail':
      case 'postByMail':
      case 'workOnTransfers':
        return this.#goOnWith(await runCommand(this.#place.location, this.#asker.worlds, step));
      case 'moveClock':
        await this.#moveClock(step.ms);
        await confirmSignIns(this.#place.location, this.#place.now());
        return [];
      case 'closeStream':
        this.#streams.close(step.stream);
        return [];
      case 'openStream':
        return await this.#streams.open(step, this.world, this.#wire, this.#process());
      default:
        return isAsked(step) ? await this.#doTogether([step]) : [];
    }
  }

  /** The worlds after a command, or what is wrong. */
  #goOnWith(worlds: World[] | string): string[] {
    if (typeof worlds === 'string') return [worlds];
    this.#asker.worlds = worlds;
    return [];
  }

  /** Moves the clock of the site and that of the model. */
  async #moveClock(ms: number): Promise<void> {
    await this.#place.moveClock(ms);
    for (const world of this.#asker.worlds) world.now = this.#place.now();
  }

  async #doInOrder(steps: readonly Step[]): Promise<string[]> {
    for (const step of steps) {
      const findings = await this.#doTogether([step]);
      if (findings.length > 0) return findings;
    }
    return [];
  }

  /** Does steps at once, and `meanwhile` at the same time. */
  async #doTogether(steps: readonly Step[], meanwhile?: () => Promise<void>): Promise<string[]> {
    const sent = await this.#prepare(steps);
    if (sent.length === 0) return [];
    const [done] = await Promise.all([
      Promise.all(sent.map(each => this.#doOne(each, meanwhile !== undefined))),
      meanwhile?.(),
    ]);
    return await this.#explain(done);
  }

  async #prepare(steps: readonly Step[]): Promise<Sent[]> {
    const asked = await Promise.all(
      steps.filter(isAsked).map(async step => {
        const ask = await requestOf(step, {
          world: this.world,
          wire: this.#wire,
          process: this.#process(),
          now: this.#place.now(),
        });
        return ask && { step: asItWasSent(this.world, step), ask };
      }),
    );
    return asked.filter(one => one !== undefined);
  }

  async #doOne({ step, ask }: Sent, mayBeLost: boolean): Promise<Done> {
    try {
      const answer = await this.#wire.send(this.#process(), { ...ask, isChange: true });
      const outcome: Outcome = outcomeOf(step, answer);
      // The database may have committed before it was killed.
      const isLost = mayBeLost && answer.status >= 500;
      return { step, outcome: isLost ? 'lost' : outcome };
    } catch (error) {
      if (!mayBeLost) throw error;
      return { step, outcome: 'lost' };
    }
  }

  /** Some order of the steps must explain every answer; the worlds of all such orders stay. */
  async #explain(done: readonly Done[]): Promise<string[]> {
    const looked = await findLost(this.#place.location, done);
    const explained = explanations(this.#asker.worlds, looked);
    const worlds = explained.flatMap(each => ('world' in each ? [each.world] : []));
    this.#options.tally.comparisons += explained.length;
    if (worlds.length === 0)
      return [explained.flatMap(each => ('text' in each ? [each.text] : []))[0] ?? 'nothing'];
    this.#asker.worlds = distinct(worlds);
    return [];
  }

  /** Kills a process or the database while steps run, and starts it again. */
  async #kill(
    { process, afterMs, ofDatabase, steps }: DeedOf<'kill'>,
    processes: Processes,
  ): Promise<string[]> {
    const findings = await this.#doTogether(steps, async () => {
      await sleep(afterMs);
      if (ofDatabase) await processes.killDatabase?.();
      else await processes.kill(process);
      // Its streams have ended, as those of any stopped process.
      this.#streams.closeAll();
      this.#options.tally.kills = (this.#options.tally.kills ?? 0) + 1;
    });
    return findings.length > 0 ? findings : await damage(this.#place.location);
  }

  /** Ends the site, and continues with one that is restored from a backup. */
  async #restore({ backup: name, keepsAccess = false }: DeedOf<'restore'>): Promise<string[]> {
    const backup = this.#backups.get(name);
    if (backup === undefined) return [];
    const since = this.world;
    this.#streams.closeAll();
    const opened = await this.#options.open({ file: backup.file, keepsAccess });
    await this.#place.close();
    this.#place = opened;
    this.#wire.moveTo(opened.urls);
    this.#asker.worlds = distinct(backup.worlds.map(then => restored(then, since, keepsAccess)));
    return await damage(opened.location);
  }

  /**
   * Freezes a process while rights change through the others. Questions that it was sent meanwhile are
   * answered once it wakes, by the rights that hold then.
   */
  async #freeze({ process, steps }: DeedOf<'freeze'>, processes: Processes): Promise<string[]> {
    const all = this.#awake;
    processes.freeze(process);
    this.#awake = all.filter(index => index !== process);
    try {
      const findings = await this.#doInOrder(steps);
      if (findings.length > 0) return findings;
      const [step] = steps;
      const chosen: Asking[] = step === undefined ? [] : this.#asker.choose(this.world, step, 'some');
      const asking = this.#asker.ask(chosen.slice(0, askedOfFrozen), () => process);
      // The questions are sent before it wakes.
      await sleep(50);
      processes.wake(process);
      return await asking;
    } finally {
      processes.wake(process);
      this.#awake = all;
    }
  }

  /** Compares the mails that were sent with those that each possible world asks for. */
  async #judgeMails(): Promise<string[]> {
    const mails = await Promise.all(this.#place.takeMails().map(readMail));
    const { worlds } = this.#asker;
    const { right, findings } = judgeMails(worlds, mails, this.#place.now());
    this.#options.tally.comparisons += mails.length;
    if (right.length === 0) return findings;
    this.#asker.worlds = right;
    return [];
  }

  #process(): number {
    return this.#random.pick(this.#awake) ?? 0;
  }
}
