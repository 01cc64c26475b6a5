import type { Credential } from './model/rule.ts';
import type { World } from './model/world.ts';
import type { Step } from './steps.ts';

/** A history in the form of a stored one. */
export function describeHistory(steps: readonly Step[], findings: readonly string[]): string {
  return [
    "// A counterexample: store it under test/prove/seeds, and 'npm test' plays it each time.",
    ...steps.map(step => `${JSON.stringify(step)},`),
    ...findings.map(finding => `// Then: ${finding}`),
  ].join('\n');
}

/** Who asks with a credential, and whether it is still valid. */
export function describeCredential(world: World, credential: Credential): string {
  if (credential.by === 'nothing') return 'a visitor';
  const held =
    credential.by === 'token' ? world.tokens[credential.token] : world.sessions[credential.session];
  const account = world.accounts[held?.account ?? ''];
  const state = account?.isGone ? 'deleted' : account?.isAdmin ? 'admin' : account?.status;
  const what = credential.by === 'token' ? 'access token' : credential.by;
  return `${held?.account} (${state}, ${what} ${held?.name}${held?.isOpen ? '' : ', ended'})`;
}
