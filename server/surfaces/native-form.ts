import type { Context } from 'hono';
import { AppError } from '../../contract/errors.ts';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import type { Deps } from '../deps.ts';
import { readBody } from '../http/body.ts';
import type { RequestVariables } from '../http/request.ts';
import { invoke } from '../operations.ts';

/** Enough for the fields of our forms with every character escaped, in bytes. */
const maxBodyBytes = 8_192;

/**
 * The fields of a form that a browser sends without scripts or before they run. Any page could send such a form, so the
 * browser must name the origin, which `guardWrites` has checked.
 */
export async function readNativeForm(c: Context<RequestVariables>): Promise<URLSearchParams> {
  c.header('cache-control', 'no-store');
  const request = c.req.raw.headers;
  if (!request.has('origin') && !request.has('sec-fetch-site')) {
    throw new AppError('permission-denied', 'This request has no Origin header.');
  }
  // A configured origin may call operations, but not send these forms, which begin sessions.
  if (c.var.asker.isElsewhere) {
    throw new AppError('permission-denied', 'This request comes from another site.');
  }
  return new URLSearchParams(await readBody(c, maxBodyBytes));
}

/** Calls an operation as the sender of the form, and adds its cookies to the answer. */
export async function invokeForForm<Name extends OperationName>(
  c: Context<RequestVariables>,
  deps: Deps,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  return await invoke(name, input, await c.var.asker.invocation(deps));
}
