import type { z } from 'zod';

/**
 * Who may call an operation. Each includes the ones after it: an admin may do what an approved member may.
 * `signed-in` includes accounts that wait for approval or were denied.
 */
export type Caller = 'anyone' | 'signed-in' | 'approved' | 'admin';

export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** Who may call it. */
  for: Caller;
  /**
   * Whether it decides about accounts and rights: no access token may call it, because what it does outlives the token
   * (decisions.md 38).
   */
  refusesTokens?: true;
  /** Whether it begins a session in the browser that calls: no page of another origin may do so. */
  beginsSession?: true;
  /** One sentence, for the reader of the OpenAPI page. */
  summary: string;
  /** Strict: a field that it does not name is refused, because a misspelt one would otherwise do the opposite unnoticed. */
  input: Input;
  output: Output;
};

/** An operation is a value; its name is its key in `operations`. */
export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  value: Operation<Input, Output>,
): Operation<Input, Output> {
  return value;
}
