import { z } from 'zod';
import type { ChangeKey } from './change-key.ts';

/**
 * Who may call an operation, from the widest to the narrowest: who may call a later one may call all before
 * it. `signed-in` includes accounts that wait for approval or were denied.
 */
export type Caller = 'anyone' | 'signed-in' | 'approved' | 'author' | 'admin';

/**
 * The scopes of a personal access token (decision 38). `read`: reading what its owner may read, except
 * other people's accounts. `write`: posts, tags, the About text, comments, likes, the owner's subscription
 * and name, mails to the owner. `files`: storing and deleting files. `members`: reading accounts and deciding
 * about their rights, ending the owner's sessions and tokens, and exporting the owner's account.
 */
export const scopes = ['read', 'write', 'files', 'members'] as const;
export type Scope = (typeof scopes)[number];

/** How the answers of an operation are cached. */
export type Caching<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** The keys of the changes after which the answer to this input may differ. */
  dependsOn(input: z.output<Input>): ChangeKey[];
  /** Like `dependsOn`, for keys that only the answer tells. */
  answerDependsOn?(answer: z.input<Output>): ChangeKey[];
  /** The fields in which readers of the same answer differ, or which change with every like. */
  ownFields?: ReadonlySet<string>;
};

export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
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
  /** Set if answers are cached: only for reading operations, whose answers visitors share. */
  caching?: Caching<Input, Output>;
  /** One sentence, shown on the OpenAPI page. */
  summary: string;
  /** Strict: unknown fields are refused, because a misspelt one would otherwise be ignored without notice. */
  input: Input;
  output: Output;
};

const nothing = z.strictObject({}).nullish();
const done = z.object({});

/**
 * An operation is a value; its name is its key in `operations`. One without `input` takes nothing, and one
 * without `output` answers nothing.
 */
export function operation<Input extends z.ZodType = typeof nothing, Output extends z.ZodType = typeof done>(
  value: Omit<Operation<Input, Output>, 'input' | 'output'> & { input?: Input; output?: Output },
): Operation<Input, Output> {
  // The compiler takes the types of what is left out from the defaults above.
  return { input: nothing, output: done, ...value } as Operation<Input, Output>;
}
