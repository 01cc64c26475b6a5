import type { FileHandle } from 'node:fs/promises';
import { write } from '../store/disk.ts';

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
    async blank(from, to) {
      for (let at = from; at < Math.min(to, size); at += windowBytes) {
        const length = Math.min(windowBytes, to - at, size - at);
        const { bytesRead } = await handle.read(window, 0, length, at);
        if (zeros.subarray(0, bytesRead).equals(window.subarray(0, bytesRead))) continue;
        await write(handle, zeros.subarray(0, bytesRead), at);
        isChanged = true;
      }
    },
    async cut(at) {
      if (at >= size) return;
      await handle.truncate(at);
      size = at;
      isChanged = true;
    },
  };
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
