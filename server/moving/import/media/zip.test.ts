import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import { headOfDraftFile } from './tree.ts';
import { openZip } from './zip.ts';

const { at } = temporaryFolder();

it('the beginnings of large files of an archive are read at the same time, while others are read whole', async () => {
  const photos = Array.from({ length: 6 }, (_, n) => ({ name: `${n}.jpg`, bytes: randomBytes(500_000) }));
  await writeFile(at('photos.zip'), zipOf(photos));
  const tree = await openZip(at('photos.zip'));
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(
      photos.map(async ({ name, bytes }, n) => {
        const file = await tree.find(name);
        if (file === undefined) throw new Error('There is no such file.');
        const wanted = n % 2 === 0 ? bytes.length : 4_100;
        expect(await headOfDraftFile(file, wanted)).toEqual(bytes.subarray(0, wanted));
      }),
    );
  }
  await tree.close();
});
