import type { OperationName } from '../../../contract/operations.ts';
import type { Asked } from '../model/acts.ts';
import { firstWordOfTag } from '../model/post-words.ts';
import type { World } from '../model/world.ts';
import type { Deed, DeedOf } from '../steps.ts';
import { type Ask, callOf, type Wire } from '../wire.ts';

/** By whom something is asked, and how: what every request of a step has in common. */
export type Sending = {
  world: World;
  wire: Wire;
  process: number;
  /** The clock of the site. */
  now: number;
  headers: Record<string, string>;
};

/** The request of a step; undefined where it cannot be made. */
export type Request<Name extends Deed['do']> = (
  sending: Sending,
  step: DeedOf<Name>,
) => Ask | undefined | Promise<Ask | undefined>;
/** A step that is named as an operation may leave out its request: then {@link callOfStep} makes it. */
export type Requests<Name extends Asked> = {
  [Each in Exclude<Name, OperationName>]: Request<Each>;
} & { [Each in Extract<Name, OperationName>]?: Request<Each> };

/** The call of the operation that a step is named as, with what the step names. */
export function callOfStep(sending: Sending, step: DeedOf<Asked>): Ask {
  const { posts, comments, accounts } = sending.world;
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(step)) {
    if (name === 'post') input.postId = posts[String(value)]?.id;
    else if (name === 'comment') input.commentId = comments[String(value)]?.id;
    else if (name === 'who') input.userId = accounts[String(value)]?.id;
    else if (!['at', 'do', 'by'].includes(name)) input[name] = value;
  }
  return callBy(sending, step.do, input);
}

/** The call of an operation with the headers of its caller. */
export function callBy({ headers }: Pick<Sending, 'headers'>, operation: string, input: object = {}): Ask {
  return callOf(operation, input, headers);
}

/** The tags as they are called at this moment. */
export function namesOfTags(world: World, tags: readonly string[]): string[] {
  return tags.map(tag => world.tags[tag]?.word ?? firstWordOfTag(tag));
}
