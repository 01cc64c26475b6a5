import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const neededBytes = 2 * 1024 ** 3;

/**
 * Where tests put what they throw away: in memory where the system has a folder there with room, because a disk spends
 * most of a test's time on writing safely what nobody will read again.
 */
export function scratchFolder(): string {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
