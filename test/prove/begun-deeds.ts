import { about, anybody, author, type Maker, ofSome, writer } from './choices.ts';
import { waitingTransfer } from './model/transfer-acts.ts';
import type { World } from './model/world.ts';
import type { Random } from './random.ts';
import type { Deed } from './steps.ts';

/** The site's list shows no more than these. */
const enoughTransfers = 6;

/** Deeds that begin in one step and end in a later one: rights may be lost in between. */
export const begunMakers: readonly [weight: number, make: Maker][] = [
  [1, about(who => ({ do: 'askSignInLink', who }))],
  [1.2, signInByLink],
  [1.2, (world, random) => ({ do: 'beginUpload', by: writer(world, random) })],
  [1.5, ofUpload((by, upload) => ({ do: 'sendPart', by, upload }))],
  [2, ofUpload((by, upload) => ({ do: 'finishUpload', by, upload }))],
  [0.7, ofUpload((by, upload) => ({ do: 'askUpload', by, upload }))],
  [0.2, ofUpload((by, upload) => ({ do: 'cancelUpload', by, upload }))],
  [0.5, beginTransfer],
  [
    1.5,
    ofSome('transfers', (transfer, world, random) => ({
      do: 'startImport',
      by: author(world, random),
      transfer,
    })),
  ],
  [
    0.4,
    ofSome('transfers', (transfer, world, random) => ({
      do: 'endTransfer',
      by: author(world, random),
      transfer,
    })),
  ],
  [1.5, world => (waitingTransfer(world) === undefined ? undefined : { do: 'workOnTransfers' })],
];

function beginTransfer(world: World, random: Random): Deed | undefined {
  if (Object.keys(world.transfers).length >= enoughTransfers) return undefined;
  return { do: random.chance(0.5) ? 'startExport' : 'checkImport', by: author(world, random) };
}

function signInByLink(world: World, random: Random): Deed | undefined {
  const mailed = Object.values(world.accounts).filter(({ signInLink }) => signInLink !== undefined);
  const account = random.pick(mailed);
  return account && { do: 'signInByLink', who: account.name };
}

/** A step of an upload, mostly by the account that began it. */
function ofUpload(make: (by: string, upload: string) => Deed): Maker {
  return ofSome('uploads', (upload, world, random) => {
    const owner = world.uploads[upload]?.account ?? '';
    const other = random.chance(0.5) ? writer(world, random) : anybody(world, random);
    return make(random.chance(0.75) ? owner : other, upload);
  });
}
