/** A text that is being written on this page, which may be ahead of what the browser keeps of it. */
type OpenText = {
  /** Keeps it as it stands. */
  keep(): Promise<void>;
  /** Keeps nothing of it from now on. */
  stopKeeping(): void;
};

/** Those of this page. */
export const openTexts = new Set<OpenText>();

/** Lets logging out know of a text that is being written. Returns the function that ends it. */
export function addOpenText(text: OpenText): () => void {
  openTexts.add(text);
  return () => openTexts.delete(text);
}
