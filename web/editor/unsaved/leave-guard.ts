/** Where a page with unsaved text stands with the author who leaves it by back and forward. */
export type LeaveGuard = {
  /** Leaving has been allowed, once and for all. */
  isAllowed: boolean;
  /** The question is on the screen. */
  isAsking: boolean;
  /** A step that was taken back has yet to arrive here again. */
  isReturning: boolean;
};

export const watchful: LeaveGuard = { isAllowed: false, isAsking: false, isReturning: false };

/** A step that the browser has taken: `steps` entries away from the page's own, 0 for the page itself. */
export type Step = { steps: number; isSamePath: boolean; isDirty: boolean };

/** What is done about a step: nothing, nothing visible, or it is taken back, with or without a question. */
export type Answer = 'let go' | 'swallow' | 'take back' | 'take back and ask';

/** No browser lets a page stop back and forward reliably, so the step is taken back and the author is asked. */
export function afterStep(guard: LeaveGuard, { steps, isSamePath, isDirty }: Step): [LeaveGuard, Answer] {
  if (guard.isReturning) return [{ ...guard, isReturning: false }, 'swallow'];
  if (guard.isAllowed || !isDirty || steps === 0 || isSamePath) return [guard, 'let go'];
  const returning = { ...guard, isReturning: true };
  return guard.isAsking ? [returning, 'take back'] : [{ ...returning, isAsking: true }, 'take back and ask'];
}

/** After a yes, the step is taken again. */
export function afterAnswer(guard: LeaveGuard, isLeaving: boolean): LeaveGuard {
  return { ...guard, isAsking: false, isAllowed: guard.isAllowed || isLeaving };
}
