import { expect, expectTypeOf, it } from 'vitest';
import type { Invocation } from '../access/context.ts';
import type { Deps, UnguardedInvocation } from '../deps.ts';
import { type inTransaction, unguarded, type WriteContext } from './transaction.ts';

it('the compiler refuses a transaction without guards', () => {
  // Types alone fail no test: `npm run check` does.
  expect(Object.keys(unguarded)).toEqual(['holdRights', 'requireRecentSignIn']);
  type Asked = Parameters<typeof inTransaction>[0];
  expectTypeOf<Invocation>().toExtend<WriteContext>();
  expectTypeOf<Invocation>().toExtend<Asked>();
  for (const forgotten of [expectTypeOf<Deps>(), expectTypeOf<UnguardedInvocation>()]) {
    forgotten.not.toExtend<WriteContext>();
    forgotten.not.toExtend<Asked>();
  }
  expectTypeOf<Pick<Invocation, 'db' | 'clock' | 'by' | 'holdRights'>>().not.toExtend<WriteContext>();
});
