import { mkdtemp, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { unpack } from './package.ts';

/** Made by minisign 0.11: a key, and signatures by it in its two forms and by another key. */
const releaseKey = 'RWTBPqYRmcbA+zHCSsMHz9mLvRAXUq9byj4TtBFCoQPoObRWpeRUolx3';
const sums =
  'c186868ee4472935595b68600f65492dec248723a85448a28bfe32e404b51707  coterie-1.1.0-linux-x64.tar.gz\n';
const signature = [
  'untrusted comment: signature from minisign secret key',
  'RUTBPqYRmcbA+wFgcwriOg4dKxUlK8l5Ws/3iNpDdkR9RKQC50jHe8k3AbO0A9baLSKSNtPqQejwLIVh89F9Bro5XpimzO0SeQs=',
  'trusted comment: coterie 1.1.0',
  '7SgifCE9K+pAOUxkJfUVk1KwMsZI8OGx7HoFkPsp4WXBS4LsVJwLiCiU6xSuX1fgRlhXU3FoNIQjNsg6JUwhDw==',
].join('\n');
const olderSignature = [
  'untrusted comment: signature from minisign secret key',
  'RWTBPqYRmcbA+y5FYohgH9oIFc1TPJ+DSzQGG4MM1odTFFDu4ipQdrHjrm7oW/IVEgpLJzBywVODpzQWw9yKZ4G/KMY0TdgSoQ0=',
  'trusted comment: coterie 1.1.0',
  'E9RA3lIkQ08etRoOnXO2dCInt2WSUi8wM9cIAKL4owsktrpLf1SMx3BwLv4ps4eYMbtrI1p6wTyaSVnpTnGnDg==',
].join('\n');
const byOther = [
  'untrusted comment: signature from minisign secret key',
  'RUSSMNKNNG+ZM/rUPE9Kzt+lYG997Yf8TgWuhc1WDlRFPalqBlhvsn1MSDUAoXRRd2Ka5HoTNZtoAPvkD8BnLUcZ+eoFtAIs/w8=',
  'trusted comment: x',
  'jr8cTwbz47Ul8wsvGi8AjuBRl5SnfaieAkScKlVTXs1NN8cv+DIW67xmLXDJGUxl+rq0VdAFpvxaz/HbR1nLBw==',
].join('\n');

/** The error for a file that has the right check sum but is no archive. */
const passed = /cannot be unpacked/;

const { at } = temporaryFolder();

/** The release files beside an archive, and the verdict on it. */
async function judge(
  { list, signed, bytes = 'not packed' }: { list: string; signed?: string; bytes?: string },
  expected: { sha256?: string; releaseKey: string | undefined },
): Promise<string> {
  const file = at('coterie-1.1.0-linux-x64.tar.gz');
  await writeFile(file, bytes);
  await writeFile(at('SHA256SUMS'), list);
  if (signed !== undefined) await writeFile(at('SHA256SUMS.minisig'), signed);
  return await unpack(file, expected, await mkdtemp(at('unpacked-'))).catch((error: Error) => error.message);
}

it.each([
  ['as minisign writes it now', signature],
  ['as earlier versions did', olderSignature],
  ['with the line ends of Windows', signature.replaceAll('\n', '\r\n')],
])('the signature of a release is taken %s', async (_, signed) => {
  expect(await judge({ list: sums, signed }, { releaseKey })).toMatch(passed);
});

it.each([
  ['a list that was changed', `${sums}\n`, signature],
  ['another key', sums, byOther],
  ['a comment that was changed', sums, signature.replace('coterie 1.1.0', 'coterie 9.9.9')],
  ['no signature at all', sums, 'nothing'],
])('the signature of a release is refused for %s', async (_, list, signed) => {
  expect(await judge({ list, signed }, { releaseKey })).toMatch(/is not signed by RELEASE_KEY/);
});

it('the signature of a release must be there once the site names a key, whatever check sum is given', async () => {
  const [sha256] = sums.split(' ');
  expect(await judge({ list: sums }, { releaseKey, ...(sha256 && { sha256 }) })).toMatch(
    /SHA256SUMS\.minisig of the release must be beside/,
  );
  expect(await judge({ list: sums }, { releaseKey: undefined })).toMatch(passed);
});

it('the signature of a release is of no use to another file', async () => {
  const swapped = { list: sums, signed: signature, bytes: 'another file' };
  expect(await judge(swapped, { releaseKey })).toMatch(/its check sum differs/);
  const given = await judge({ list: sums, signed: signature }, { releaseKey, sha256: '0'.repeat(64) });
  expect(given).toMatch(/its check sum differs/);
});
