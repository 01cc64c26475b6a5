import type { z } from 'zod';
import type { ChangeKey } from './change-key.ts';

/**
 * Who may call an operation, from the widest to the narrowest: whoever may call for a later one may call for
 * all before it. `signed-in` includes accounts that wait for approval or were denied.
 */
export type Caller = 'anyone' | 'signed-in' | 'approved' | 'author' | 'admin';

/**
 * The scopes of a personal access token (decisions.md 38). `read`: reading all that its owner may read,
 * except the accounts of others. `write`: posts, tags, the About text, comments, likes, the owner's
 * subscription and name, mails to the owner. `files`: storing and deleting files. `members`: reading accounts
 * and deciding about their rights, ending the owner's sessions and tokens, and exporting the owner's account.
 */
export const scopes = ['read', 'write', 'files', 'members'] as const;
export type Scope = (typeof scopes)[number];

/** How the answers of an operation are cached. */
export type Caching<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** The changes after which the answer to this input may be another one. */
  dependsOn(input: z.output<Input>): ChangeKey[];
  /** As `dependsOn`, for what only the answer tells. */
  answerDependsOn?(answer: z.input<Output>): ChangeKey[];
  /** The fields that readers of the same answer do not share, or that change with every like. */
  ownFields?: ReadonlySet<string>;
};

export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** Who may call it. */
  for: Caller;
  /**
   * The scope that an access token needs to call it. `none`: no token may, because its effect would outlive
   * the token, or because it is for people without an account.
   */
  scope: Scope | 'none';
  /**
   * Whether it may ask for a recent sign-in, because it gives access to an account, ends one or cannot be
   * undone. A browser then asks its user to confirm their identity and calls it again.
   */
  asksAgain?: true;
  /** Whether it begins a session in the calling browser, which no page of another origin may do. */
  beginsSession?: true;
  /** Set if answers are cached: only a reading operation's, which visitors share. */
  caching?: Caching<Input, Output>;
  /** One sentence, for the reader of the OpenAPI page. */
  summary: string;
  /** Strict: unknown fields are refused, because a misspelt one would otherwise be ignored without notice. */
  input: Input;
  output: Output;
};

/** An operation is a value; its name is its key in `operations`. */
export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  value: Operation<Input, Output>,
): Operation<Input, Output> {
  return value;
}
