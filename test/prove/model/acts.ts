import type { Deed, DeedOf, Step } from '../steps.ts';
import { accountActs } from './account-acts.ts';
import { postActs } from './post-acts.ts';
import { siteActs } from './site-acts.ts';
import { transferActs } from './transfer-acts.ts';
import { uploadActs } from './upload-acts.ts';
import { wayActs } from './way-acts.ts';
import type { World } from './world.ts';

/** What must come back: a refusal by its code, or a result that holds at least this. */
export type Expectation = { refusal: string } | { result: unknown };

/** What the server told of something that a step made, and that only it can know. */
export type Told = Partial<
  Record<'id' | 'createdAt' | 'publishedAt' | 'cookie' | 'bearer' | 'secret', string>
>;

/** Changes the world as the step must change it, unless it must be refused. */
export type Act<Name extends Deed['do']> = (world: World, step: DeedOf<Name>, told: Told) => Expectation;
export type Acts<Name extends Deed['do']> = { [Each in Name]: Act<Each> };

/** Deeds that ask the server for a change; the others are done to streams, clocks and processes. */
export type Asked = Exclude<
  Deed['do'],
  | 'together'
  | 'kill'
  | 'freeze'
  | 'openStream'
  | 'closeStream'
  | 'moveClock'
  | 'backUp'
  | 'restore'
  | 'importPost'
  | 'workOnTransfers'
>;

const acts: Acts<Asked> = {
  ...accountActs,
  ...postActs,
  ...siteActs,
  ...transferActs,
  ...uploadActs,
  ...wayActs,
};

export function isAsked(step: Step): step is DeedOf<Asked> {
  return Object.hasOwn(acts, step.do);
}

/** What the model says to a step; changes the world. */
export function act(world: World, step: DeedOf<Asked>, told: Told): Expectation {
  // The compiler cannot follow that the name of a step selects its own act; the type of `acts` says so.
  const chosen = acts[step.do] as (world: World, step: Step, told: Told) => Expectation;
  return chosen(world, step, told);
}
