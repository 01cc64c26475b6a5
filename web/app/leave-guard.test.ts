import fc from 'fast-check';
import { expect, it } from 'vitest';
import { afterAnswer, afterStep, type LeaveGuard, watchful } from './leave-guard.ts';

const flags = [false, true];
const guards: LeaveGuard[] = flags.flatMap(isAllowed =>
  flags.flatMap(isAsking => flags.map(isReturning => ({ isAllowed, isAsking, isReturning }))),
);
const steps = flags.flatMap(isDirty =>
  flags.flatMap(isSamePath => [-1, 0, 2].map(count => ({ steps: count, isSamePath, isDirty }))),
);

it('the guard allows a step only if nothing is unsaved, leaving was confirmed, or the page stays, in every state', () => {
  for (const guard of guards.filter(({ isReturning }) => !isReturning)) {
    for (const step of steps) {
      const [next, answer] = afterStep(guard, step);
      const isFree = guard.isAllowed || !step.isDirty || step.isSamePath || step.steps === 0;
      expect([guard, step, answer === 'let go']).toEqual([guard, step, isFree]);
      // While the question is shown, it is not asked again.
      if (!isFree) expect(answer).toBe(guard.isAsking ? 'take back' : 'take back and ask');
      expect(next.isReturning).toBe(!isFree);
    }
  }
});

it('the guard hides the step by which it returns, whatever has become of the text meanwhile', () => {
  for (const guard of guards.filter(({ isReturning }) => isReturning)) {
    for (const step of steps) {
      expect(afterStep(guard, step)).toEqual([{ ...guard, isReturning: false }, 'swallow']);
    }
  }
});

it('the guard asks again after a no, and never after a yes', () => {
  for (const guard of guards) {
    expect(afterAnswer(guard, false)).toEqual({ ...guard, isAsking: false });
    expect(afterAnswer(guard, true)).toEqual({ ...guard, isAsking: false, isAllowed: true });
  }
});

it('the guard stays on the page with unsaved text until the author says yes, however often they press Back', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('back', 'forward', 'yes', 'no'), { maxLength: 30 }), presses => {
      // A browser whose history has entries before and after the editor.
      let [place, guard] = [0, watchful];
      let asked: number | undefined;
      let isGone = false;
      const arrive = (at: number) => {
        const [next, answer] = afterStep(guard, { steps: at, isSamePath: at === 0, isDirty: true });
        guard = next;
        place = at;
        if (answer === 'let go' && at !== 0) isGone = true;
        if (answer === 'take back and ask') asked = at;
        if (answer === 'take back' || answer === 'take back and ask') arrive(0);
      };
      for (const press of presses.filter(() => !isGone)) {
        if (isGone) break;
        if (press === 'back' || press === 'forward') arrive(place + (press === 'back' ? -1 : 1));
        else if (asked !== undefined) {
          const to = asked;
          asked = undefined;
          guard = afterAnswer(guard, press === 'yes');
          if (press === 'yes') arrive(to);
        }
        expect(isGone).toBe(guard.isAllowed);
        if (!isGone) expect(place).toBe(0);
      }
    }),
  );
});
