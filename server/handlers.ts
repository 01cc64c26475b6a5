import type { z } from 'zod';
import type { Operation } from '../contract/operation.ts';
import type { Invocation } from './deps.ts';

/** The functions behind a set of operations: each receives parsed input, and its answer is parsed before it leaves. */
export type Handlers<Operations extends Record<string, Operation>> = {
  [Name in keyof Operations]: (
    invocation: Invocation,
    input: z.output<Operations[Name]['input']>,
  ) => Promise<z.input<Operations[Name]['output']>>;
};
