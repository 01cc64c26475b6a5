import { fromBuffer } from 'yauzl';

/** What a zip holds, by name, in its order. */
export async function entriesOf(zip: Buffer): Promise<Map<string, Buffer>> {
  const entries = new Map<string, Buffer>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  fromBuffer(zip, { lazyEntries: true }, (error, archive) => {
    if (error) return reject(error);
    archive.on('end', resolve);
    archive.on('error', reject);
    archive.on('entry', entry =>
      archive.openReadStream(entry, async (failure, stream) => {
        if (failure) return reject(failure);
        entries.set(entry.fileName, Buffer.concat(await stream.toArray()));
        archive.readEntry();
      }),
    );
    archive.readEntry();
  });
  await promise;
  return entries;
}
