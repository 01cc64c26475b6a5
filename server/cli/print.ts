export function print(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

export function printError(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

/**
 * A text without characters that a terminal would obey: control characters become their JSON escapes
 * (`\u001b`), and so do those that change the direction of text. Names of people, tags and files come from
 * others. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, escaped);
}

/** Like {@link printable}, on one line. */
export const printableLine = (text: string) => printable(text).replaceAll(/[\n\t]/g, escaped);

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** ‘1.4 MiB’. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
