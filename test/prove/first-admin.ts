import { begin, newAccount } from './model/accounts.ts';
import type { Told } from './model/act.ts';
import type { World } from './model/world.ts';
import { outcomeOf } from './outcome.ts';
import { callOf, type Wire } from './wire.ts';
import { wordFor } from './words.ts';

/** Makes the first admin of a site and of its world, `u0`, with the session `s0`. */
export async function makeFirstAdmin(world: World, wire: Wire, token: string): Promise<void> {
  const account = newAccount(0, {}, world.now);
  const { username, fullName: name, password } = account;
  const input = { token, account: { username, name, email: `${username}@example.com`, password } };
  const ask = callOf('setUpSite', input, { 'user-agent': wordFor('device at 0') });
  const outcome = outcomeOf({ at: 0, do: 'signUp' }, await wire.send(0, ask));
  if ('refusal' in outcome) throw new Error(`No admin: ${JSON.stringify(outcome)}`);
  const told: Told = outcome.told;
  const admin = { ...account, id: told.id ?? '', status: 'approved' as const, isAdmin: true };
  world.accounts.u0 = admin;
  begin(world, admin, 0, told);
}
