/** How long the browser may take to begin saving a file, in milliseconds. Safari begins after the click. */
const beginWithinMs = 60_000;

/** Has the browser save content that this page has made. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), beginWithinMs);
}
