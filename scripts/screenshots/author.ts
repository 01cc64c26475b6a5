import type { APIRequestContext } from '@playwright/test';
import type { Input, OperationName, Output } from '../../contract/operations.ts';

/** Calls an operation with the session of a context. Throws the server's error. */
export async function callAs<Name extends OperationName>(
  as: APIRequestContext,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const { error, result } = await (await as.post(`/api/${name}`, { data: { data: input } })).json();
  if (error !== undefined) throw new Error(`${name}: ${error.message}`);
  return result;
}
