import { deviceAt } from '../model/accounts.ts';
import type { Asked } from '../model/acts.ts';
import { credentialOf } from '../model/caller.ts';
import type { World } from '../model/world.ts';
import type { DeedOf, Step } from '../steps.ts';
import { type Ask, headersOf } from '../wire.ts';
import { accountRequests } from './accounts.ts';
import { commentRequests } from './comments.ts';
import { postRequests } from './posts.ts';
import { proposalRequests } from './proposals.ts';
import { callOfStep, type Request, type Requests, type Sending } from './request.ts';
import { siteRequests } from './site.ts';
import { transferRequests } from './transfers.ts';
import { uploadRequests } from './uploads.ts';
import { wayRequests } from './ways.ts';

const requests: Requests<Asked> = {
  ...accountRequests,
  ...commentRequests,
  ...postRequests,
  ...proposalRequests,
  ...siteRequests,
  ...transferRequests,
  ...uploadRequests,
  ...wayRequests,
};

/** The request of a step, ready to send; undefined where the step names what is not there. */
export async function requestOf(step: DeedOf<Asked>, to: Omit<Sending, 'headers'>): Promise<Ask | undefined> {
  const { world } = to;
  const by = 'by' in step ? step.by : 'nobody';
  const credential = credentialOf(world, by);
  if (credential === undefined || !isNamedThere(world, step)) return undefined;
  const headers = {
    'user-agent': deviceAt(step.at),
    ...addressOf(step, by),
    ...headersOf(world, credential),
  };
  // The compiler cannot follow that the name of a step selects its own request; the type of `requests` says
  // so.
  const chosen = (requests[step.do] ?? callOfStep) as (
    sending: Sending,
    step: Step,
  ) => ReturnType<Request<Asked>>;
  return await chosen({ ...to, headers }, step);
}

/** Whether the post, the files and the account that a step names are in the world. */
function isNamedThere(world: World, step: DeedOf<Asked>): boolean {
  const files = [
    ...('file' in step ? [step.file] : []),
    ...('shows' in step ? [...(step.attach ?? []), ...step.shows] : []),
  ];
  return (
    files.every(name => world.files[name] !== undefined) &&
    !('post' in step && world.posts[step.post] === undefined) &&
    !('comment' in step && world.comments[step.comment] === undefined) &&
    !('who' in step && world.accounts[step.who] === undefined)
  );
}

/** The address that a proxy would report for a person's requests; rate limits count by it. */
function addressOf({ at }: { at: number }, by: string): Record<string, string> {
  const number = by === 'nobody' ? at : Number(by.replaceAll(/\D/g, '') || 0);
  return { 'x-forwarded-for': `10.${by === 'nobody' ? 1 : 2}.${(number >> 8) & 255}.${number & 255}` };
}
