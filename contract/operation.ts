import type { z } from 'zod';

/**
 * Who may call an operation. Each includes the ones after it: an admin may do what an approved member may.
 * `signed-in` includes accounts that wait for approval or were denied.
 */
export type Caller = 'anyone' | 'signed-in' | 'approved' | 'author' | 'admin';

/**
 * What a personal access token may be good for (decisions.md 38). `read`: all that its owner may read, but for accounts.
 * `write`: posts, tags, comments, likes, and what its owner wants to be told and called. `files`: to store and delete files.
 * `members`: accounts and rights, to read and to decide.
 */
export const scopes = ['read', 'write', 'files', 'members'] as const;
export type Scope = (typeof scopes)[number];

export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** Who may call it. */
  for: Caller;
  /**
   * The scope that an access token needs to call it. `none`: no token may, because what it does outlives the token, or
   * because it is for who has no account yet.
   */
  scope: Scope | 'none';
  /**
   * Whether it may ask for a recent sign-in, because it opens or ends an account or cannot be undone. A browser then lets its
   * person confirm who they are and calls it again.
   */
  asksAgain?: true;
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
