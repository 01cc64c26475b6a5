/**
 * An answer whose headers are plain, which the adapter writes as they are: Hono's own are a `Headers` first, checked,
 * sorted and taken apart again, for longer than a short answer takes to send. What `c.header` has set is not on it:
 * `headers` are all. `reply` is what the browser must keep.
 */
export function lightAnswer(
  body: Uint8Array<ArrayBuffer> | string | null,
  status: number,
  headers: Readonly<Record<string, string>>,
  reply?: Headers,
): Response {
  const kept = [...(reply ?? [])];
  if (kept.length === 0) return new Response(body, { status, headers });
  return new Response(body, { status, headers: [...Object.entries(headers), ...kept] });
}
