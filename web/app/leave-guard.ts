/** The state of a page with unsaved text that the author leaves with back or forward. */
export type LeaveGuard = {
  /** The author has confirmed leaving. */
  isAllowed: boolean;
  /** The question is on the screen. */
  isAsking: boolean;
  /** A step was undone, and the browser has not returned here yet. */
  isReturning: boolean;
};

export const watchful: LeaveGuard = { isAllowed: false, isAsking: false, isReturning: false };

/**
 * A step of the browser in its history: `steps` entries away from the editor's own, 0 for the editor itself.
 */
export type Step = { steps: number; isSamePath: boolean; isDirty: boolean };

/** The reaction to a step: let it go, hide it from the app, or undo it, with or without a question. */
export type Answer = 'let go' | 'swallow' | 'take back' | 'take back and ask';

/**
 * No browser lets a page reliably prevent back and forward, so the step is undone and the author is asked.
 */
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
