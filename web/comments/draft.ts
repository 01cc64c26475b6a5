/**
 * What somebody began to write under a post: the text, and the key that makes sending it safe to repeat. Once it was
 * sent, another text needs another key.
 */
export type Draft = { text: string; key: string; isSent: boolean };

const nameOf = (postId: string) => `comment-draft:${postId}`;

/** A key of 128 random bits. Not `randomUUID`, which a browser has on https alone. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** The draft of a post that this browser keeps, through reloads and lost sessions; an empty one when there is none. */
export function readDraft(postId: string): Draft {
  const empty = { text: '', key: newKey(), isSent: false };
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(nameOf(postId)) ?? 'null');
    const isDraft = typeof kept === 'object' && kept !== null && 'text' in kept && 'key' in kept;
    if (!isDraft) return empty;
    return {
      text: String(kept.text),
      key: String(kept.key),
      isSent: 'isSent' in kept && kept.isSent === true,
    };
  } catch {
    // A browser that keeps nothing for this site still lets one write.
    return empty;
  }
}

export function keepDraft(postId: string, draft: Draft): void {
  try {
    if (draft.text === '') localStorage.removeItem(nameOf(postId));
    else localStorage.setItem(nameOf(postId), JSON.stringify(draft));
  } catch {
    // As above: then the draft lives as long as the page.
  }
}
