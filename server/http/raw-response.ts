/**
 * An answer whose headers are plain, which the adapter writes as they are: Hono's own are a `Headers` first, checked,
 * sorted and taken apart again, for longer than a short answer takes to send. `headers` are all that it carries, but for
 * those of the middleware; what `c.header` has set is not on it.
 */
export function rawResponse(
  body: Uint8Array<ArrayBuffer> | string | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers });
}
