/** What another program has shared with the installed app. */
export type Shared = { text: string; files: File[] };

/** What was shared longer ago is deleted, in milliseconds: somebody else may use the device by now. */
const keptMs = 60 * 60 * 1_000;

/** Takes what the service worker keeps (web/brand/share-worker.js), so that it is not offered twice. */
export async function takeShared(): Promise<Shared | undefined> {
  // Only over HTTPS has a browser such a place.
  if (!('caches' in window)) return undefined;
  const kept = await caches.match('/share', { cacheName: 'shared' });
  await caches.delete('shared');
  if (kept === undefined || Date.now() - Date.parse(kept.headers.get('date') ?? '') > keptMs)
    return undefined;
  const form = await kept.formData();
  return {
    text: wordsOf(['title', 'text', 'url'].map(name => form.get(name))),
    files: form.getAll('files').filter(file => file instanceof File),
  };
}

/** Programs give the same words or address in several fields. */
export function wordsOf(fields: readonly unknown[]): string {
  const words = fields.filter(field => typeof field === 'string').map(field => field.trim());
  const isNew = (word: string, at: number) =>
    !words.some((other, index) => index !== at && other.includes(word) && (other !== word || index < at));
  return words.filter((word, at) => word !== '' && isNew(word, at)).join('\n\n');
}
