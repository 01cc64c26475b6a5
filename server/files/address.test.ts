import { expect, it } from 'vitest';
import { createId } from '../base/id.ts';
import { fileAddress, fileIdAt, fileIdsIn } from './address.ts';

it('the ids of files are found in the addresses that the site writes, and in no others', () => {
  const [one, other] = [createId(), createId()];
  const [plain, named] = [fileAddress(one), fileAddress(other, 'On the way (2).mp4')];
  expect(named).toBe(`/files/${other}/On_the_way__2_.mp4`);
  expect([plain, named].map(fileIdAt)).toEqual([one, other]);
  for (const address of [
    `${plain}x`,
    `${plain}/a/b`,
    `https://other.example${plain}`,
    `${plain}?width=480`,
    '/files/',
  ]) {
    expect([address, fileIdAt(address)]).toEqual([address, undefined]);
  }
  expect(fileIdsIn(`![](${plain}) <video src="${named}"> ${plain}?width=480 ${plain}x /files/short`)).toEqual(
    [one, other, one],
  );
});
