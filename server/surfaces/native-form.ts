import type { Context } from 'hono';
import { AppError } from '../../contract/errors.ts';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import type { Deps } from '../deps.ts';
import { readBody } from '../http/body.ts';
import type { RequestVariables } from '../http/request.ts';
import { invoke } from '../operations.ts';

/** The fields of a form of ours, with room for every character to be escaped. */
const maxBodyBytes = 8_192;

/**
 * A form as a browser sends it by itself, without scripts or before they run. It can be sent from anywhere, so a browser has
 * to say from where; `guardWrites` has read what it says.
 */
export async function readNativeForm(c: Context<RequestVariables>): Promise<URLSearchParams> {
  c.header('cache-control', 'no-store');
  const request = c.req.raw.headers;
  if (!request.has('origin') && !request.has('sec-fetch-site')) {
    throw new AppError('permission-denied', 'This request has no Origin header.');
  }
  // A configured origin calls operations; the forms of our pages begin sessions.
  if (c.var.asker.isElsewhere) {
    throw new AppError('permission-denied', 'This request comes from another site.');
  }
  return new URLSearchParams(await readBody(c, maxBodyBytes));
}

/** Calls an operation as whoever sent the form; what the browser must keep goes out with the answer. */
export async function invokeForForm<Name extends OperationName>(
  c: Context<RequestVariables>,
  deps: Deps,
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const { asker } = c.var;
  const { peer, reply } = asker;
  return await invoke(name, input, {
    ...deps,
    ...(await asker.identify()),
    request: c.req.raw.headers,
    reply,
    peer,
  });
}
