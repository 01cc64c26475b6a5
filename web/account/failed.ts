/**
 * The sentence for the reason code in an address, `?failed=`, to which the server leads after a form that a browser sent
 * without scripts (server/surfaces/forms.ts). Undefined without one, and for a code that the page does not know: anybody
 * can make a link with one.
 */
export function failedIn(
  search: URLSearchParams,
  sentences: Readonly<Record<string, string>>,
): string | undefined {
  const reason = search.get('failed') ?? '';
  return Object.hasOwn(sentences, reason) ? sentences[reason] : undefined;
}
