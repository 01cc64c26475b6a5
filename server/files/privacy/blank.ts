import { type FileHandle, open } from 'node:fs/promises';
import { write } from '../store/disk.ts';
import type { Span } from './spans.ts';

const windowBytes = 256 * 1024;
const zeros = Buffer.alloc(windowBytes);

/** Changes a file in place and records whether anything changed: equal bytes are not written. */
export type Editor = {
  readonly size: number;
  readonly isChanged: boolean;
  read(at: number, bytes: number): Promise<Buffer>;
  /** Writes bytes if they differ from those in the file. */
  put(bytes: Buffer, at: number): Promise<void>;
  /** Fills a part with zeros, up to the end of the file. */
  blank(from: number, to: number): Promise<void>;
  /** The same for many parts, in order. Those that lie together are read and written together. */
  blankAll(parts: Iterable<Span>): Promise<void>;
  /** Cuts off everything from `at`. */
  cut(at: number): Promise<void>;
};

export async function editorOf(handle: FileHandle): Promise<Editor> {
  let { size } = await handle.stat();
  let isChanged = false;
  const window = Buffer.alloc(windowBytes);
  async function read(at: number, bytes: number): Promise<Buffer> {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
    return buffer.subarray(0, bytesRead);
  }
  /** For parts that lie within one window. */
  async function blankNear(parts: readonly Span[]): Promise<void> {
    const start = parts[0]?.[0] ?? 0;
    const end = parts.at(-1)?.[1] ?? start;
    const { bytesRead } = await handle.read(window, 0, end - start, start);
    const bytes = window.subarray(0, bytesRead);
    let isBlank = true;
    for (const [from, to] of parts) {
      const part = bytes.subarray(from - start, to - start);
      if (zeros.subarray(0, part.length).equals(part)) continue;
      part.fill(0);
      isBlank = false;
    }
    if (isBlank) return;
    await write(handle, bytes, start);
    isChanged = true;
  }
  async function blankAll(parts: Iterable<Span>): Promise<void> {
    let near: Span[] = [];
    for (const part of inWindows(parts, size)) {
      const [first = part] = near;
      if (part[1] > first[0] + windowBytes) {
        await blankNear(near);
        near = [];
      }
      near.push(part);
    }
    if (near.length > 0) await blankNear(near);
  }
  return {
    get size() {
      return size;
    },
    get isChanged() {
      return isChanged;
    },
    read,
    async put(bytes, at) {
      if ((await read(at, bytes.length)).equals(bytes)) return;
      await write(handle, bytes, at);
      isChanged = true;
    },
    blank: (from, to) => blankAll([[from, to]]),
    blankAll,
    async cut(at) {
      if (at >= size) return;
      await handle.truncate(at);
      size = at;
      isChanged = true;
    },
  };
}

/** Parts of a file of this size, cut into pieces of at most a window. */
function* inWindows(parts: Iterable<Span>, size: number): Generator<Span> {
  for (const [from, to] of parts) {
    for (let at = from; at < Math.min(to, size); at += windowBytes)
      yield [at, Math.min(at + windowBytes, to, size)];
  }
}

/** Edits a file in place. Returns whether anything has changed. */
export async function editFile(
  handle: FileHandle,
  edit: (editor: Editor) => Promise<void>,
): Promise<boolean> {
  const editor = await editorOf(handle);
  await edit(editor);
  if (editor.isChanged) await handle.datasync();
  return editor.isChanged;
}

/** A function that edits the file at a path as {@link editFile} does. */
export function editing(edit: (editor: Editor) => Promise<void>): (path: string) => Promise<boolean> {
  return async path => {
    await using handle = await open(path, 'r+');
    return await editFile(handle, edit);
  };
}
