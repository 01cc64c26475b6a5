import { extname } from 'node:path';

/**
 * A program that the server starts: the neighbour of the file at `from` that starts it, both in the sources
 * and in the bundle (scripts/build-server.ts).
 */
export function programBeside(from: string, name: string): URL {
  return new URL(`./${name}${extname(from)}`, from);
}
