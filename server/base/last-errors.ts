/** An unexpected error. Only its kind is kept, because its message may contain what somebody has written. */
type LastError = { at: number; id: string; kind: string };

const kept = 10;
const errors: LastError[] = [];

/** Keeps the last errors of this process; readers saw their ids, and the log has them. */
export function noteError(id: string, error: unknown): void {
  const kind = error instanceof Error ? error.name : typeof error;
  errors.unshift({ at: Date.now(), id, kind });
  errors.length = Math.min(errors.length, kept);
}

export const lastErrors = (): readonly LastError[] => errors;
