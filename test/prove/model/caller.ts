import type { Step } from '../steps.ts';
import { type Credential, type Viewer, viewerBy } from './rule.ts';
import type { Session, World } from './world.ts';

/** Who may call an operation; each includes the ones after it. */
export type Caller = 'anyone' | 'signed-in' | 'approved' | 'author' | 'admin';

/** The credential that `by` of a step names; undefined if there is none of that name. */
export function credentialOf(world: World, by: string): Credential | undefined {
  if (by === 'nobody') return { by: 'nothing' };
  if (world.tokens[by] !== undefined) return { by: 'token', token: by };
  const bearer = by.endsWith('*') ? world.sessions[by.slice(0, -1)] : undefined;
  if (bearer !== undefined) return { by: 'bearer', session: bearer.name };
  const session = world.sessions[by] ?? newestSession(world, by);
  return session && { by: 'cookie', session: session.name };
}

/**
 * A step with the session or token, and the version of the settings, that it was sent with: a step at the
 * same time may begin a newer session, or change the settings.
 */
export function asItWasSent<Sent extends Step>(world: World, step: Sent): Sent {
  const credential = 'by' in step ? credentialOf(world, step.by) : undefined;
  const sent = step.do === 'saveSettings' ? { ...step, version: world.settings.version } : step;
  return credential === undefined ? sent : { ...sent, by: nameOfCredential(credential) };
}

function nameOfCredential(credential: Credential): string {
  if (credential.by === 'nothing') return 'nobody';
  if (credential.by === 'token') return credential.token;
  return credential.by === 'bearer' ? `${credential.session}*` : credential.session;
}

/** The session that an account would use: the newest that is open, else the newest. */
export function newestSession(world: World, account: string): Session | undefined {
  // If the server was killed before it answered, nobody knows the cookie of the session.
  const known = Object.values(world.sessions).filter(session => session.cookie !== '');
  const own = known.filter(session => session.account === account);
  return own.findLast(session => session.isOpen) ?? own.at(-1);
}

/** Why a viewer may not call an operation at all; undefined if they may. */
export function refusalOfCaller(viewer: Viewer | null, caller: Caller): string | undefined {
  // An invalid bearer token is refused in every request.
  if (viewer === null) return 'unauthenticated';
  if (caller === 'anyone') return undefined;
  if (viewer.account === null) return 'unauthenticated';
  if (caller === 'signed-in') return undefined;
  if (caller === 'approved') return viewer.role === 'visitor' ? 'permission-denied' : undefined;
  if (caller === 'author' && viewer.role === 'author') return undefined;
  return viewer.role === 'admin' ? undefined : 'permission-denied';
}

/** The viewer who does a step, or why they may not. */
export function actor(
  world: World,
  by: string,
  caller: Caller,
): { viewer: Viewer; account: string } | { refusal: string } {
  const credential = credentialOf(world, by);
  const viewer = credential === undefined ? null : viewerBy(world, credential);
  const refusal = refusalOfCaller(viewer, caller);
  if (viewer === null || refusal !== undefined) return { refusal: refusal ?? 'unauthenticated' };
  return { viewer, account: viewer.account?.name ?? '' };
}
