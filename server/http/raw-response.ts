/**
 * A response with headers as a plain object, which the adapter writes unchanged. Hono's own responses go
 * through a `Headers` object, which checks and sorts them; that takes longer than sending a short answer. The
 * response has only these `headers` and those of the middleware, none that `c.header` has set.
 */
export function rawResponse(
  body: Uint8Array<ArrayBuffer> | string | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers });
}
