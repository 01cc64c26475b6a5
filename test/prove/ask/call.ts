import { differenceOfOutcome } from '../matches.ts';
import type { Expectation } from '../model/act.ts';
import { type Caller, refusalOfCaller } from '../model/caller.ts';
import type { Viewer } from '../model/rule.ts';
import type { World } from '../model/world.ts';
import { callOf, resultOf } from '../wire.ts';
import { leak, type Question, wrong } from './question.ts';

export type Expect = (world: World, viewer: Viewer) => Expectation;

/** A call of an operation that only reads: who may call it, and what the answer must hold. */
export function call(
  operation: string,
  input: object,
  caller: Caller,
  expect: Expect,
  { also, isForTokens = true }: { also?: Question['also'] | undefined; isForTokens?: boolean } = {},
): Question {
  return {
    title: `${operation} ${JSON.stringify(input)}`,
    ask: async send => [await send(callOf(operation, input, {}))],
    judge: (world, viewer, [answer]) => {
      const isTokenRefused = !isForTokens && viewer?.isByToken === true;
      const refusal = refusalOfCaller(viewer, caller) ?? (isTokenRefused ? 'permission-denied' : undefined);
      const expected =
        refusal === undefined && viewer !== null ? expect(world, viewer) : { refusal: refusal ?? '' };
      return answer === undefined ? [] : judgeOutcome(expected, resultOf(answer));
    },
    ...(also && { also }),
  };
}

export function judgeOutcome(expected: Expectation, outcome: ReturnType<typeof resultOf>) {
  const text = differenceOfOutcome(expected, outcome);
  if (text === undefined) return [];
  return ['refusal' in expected && 'result' in outcome ? leak(text) : wrong(text)];
}
