/** A text that is being written on this page, which may be newer than its copy in the browser. */
type OpenText = {
  /** Stores its current state. Resolves with false if the browser has no room for it. */
  store(): Promise<boolean>;
  /** Stores nothing of it from now on. */
  stopStoring(): void;
};

/** The open texts of this page. */
export const openTexts = new Set<OpenText>();

/** Registers a text that is being written, for logging out. Returns the function that removes it. */
export function addOpenText(text: OpenText): () => void {
  openTexts.add(text);
  return () => openTexts.delete(text);
}
