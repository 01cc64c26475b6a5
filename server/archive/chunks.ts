/** Bytes, in one chunk or several. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Copies each chunk, for a reader that reads ahead: a store uses the memory of a chunk again. */
export async function* copies(chunks: Chunks): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}
