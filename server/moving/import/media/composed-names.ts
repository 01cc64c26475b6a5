import { composed } from '../composed.ts';

/**
 * Whether a path is one of macOS's own files: attributes (`._walk.jpg`, all of `__MACOSX`), the view of a
 * folder, a folder's icon.
 */
const isOfSystem = (path: string) => /(?:^|\/)(?:__MACOSX(?:\/|$)|\._|\.DS_Store$|Icon\r$)/.test(path);

/**
 * The paths of a source by the names under which they are looked up: macOS decomposes letters (`u` and `¨`),
 * texts compose them. If two differ only in this, the second keeps its own. Without the system's files.
 */
export function byComposedName(paths: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of paths) {
    if (isOfSystem(path)) continue;
    const name = composed(path);
    found.set(found.has(name) ? path : name, path);
  }
  return found;
}
