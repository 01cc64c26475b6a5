import type { Deed, DeedOf, Step } from '../steps.ts';
import { accountActs } from './account-acts.ts';
import type { Acts, Expectation, Told } from './act.ts';
import { commentActs } from './comment-acts.ts';
import { decisionActs } from './decision-acts.ts';
import { postActs } from './post-acts.ts';
import { proposalActs } from './proposal-acts.ts';
import { siteActs } from './site-acts.ts';
import { transferActs } from './transfer-acts.ts';
import { uploadActs } from './upload-acts.ts';
import { wayActs } from './way-acts.ts';
import type { World } from './world.ts';

/** Deeds that are requests for a change; the others concern streams, the clock and processes. */
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
  | 'answerByMail'
  | 'postByMail'
  | 'workOnTransfers'
>;

const acts: Acts<Asked> = {
  ...accountActs,
  ...commentActs,
  ...decisionActs,
  ...postActs,
  ...proposalActs,
  ...siteActs,
  ...transferActs,
  ...uploadActs,
  ...wayActs,
};

export function isAsked(step: Step): step is DeedOf<Asked> {
  return Object.hasOwn(acts, step.do);
}

/** The answer that the model expects for a step. Changes the world. */
export function act(world: World, step: DeedOf<Asked>, told: Told): Expectation {
  // The compiler cannot follow that the name of a step selects its own act; the type of `acts` says so.
  const chosen = acts[step.do] as (world: World, step: Step, told: Told) => Expectation;
  return chosen(world, step, told);
}
