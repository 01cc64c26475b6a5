import { AppError } from '../../../contract/errors.ts';
import { type Box, type Budget, boxAlong, boxesIn, newBudget } from './boxes.ts';
import { DamagedPicture } from './strip.ts';

/** Tiles of a grid are items; no camera makes more of them. */
export const maxItems = 4_096;
const maxReferences = 4 * maxItems;

export type Item = { type: string; box: Box; nameAt: number };

export const primaryIn = (bytes: Buffer, { body }: Box): number =>
  bytes[body] === 0 ? bytes.readUInt16BE(body + 4) : bytes.readUInt32BE(body + 4);

export function itemsIn(bytes: Buffer, { body, end }: Box, budget: Budget): Map<number, Item> {
  const items = new Map<number, Item>();
  for (const box of boxesIn(bytes, budget, { body: body + (bytes[body] === 0 ? 6 : 8), end })) {
    const version = bytes[box.body] ?? 0;
    // Older versions are not those of pictures.
    if (box.type !== 'infe' || version < 2 || items.size === maxItems) throw new DamagedPicture();
    const id = version === 2 ? bytes.readUInt16BE(box.body + 4) : bytes.readUInt32BE(box.body + 4);
    const nameAt = box.body + (version === 2 ? 12 : 14);
    items.set(id, { type: bytes.toString('latin1', nameAt - 4, nameAt), box, nameAt });
  }
  return items;
}

export type Reference = { type: string; from: number; to: number[] };

export function referencesIn(bytes: Buffer, iref: Box | undefined, budget: Budget): Reference[] {
  if (iref === undefined) return [];
  const wide = bytes[iref.body] === 0 ? 2 : 4;
  let left = maxReferences;
  return [...boxesIn(bytes, budget, { body: iref.body + 4, end: iref.end })].map(({ type, body }) => {
    const count = bytes.readUInt16BE(body + wide);
    left -= 1 + count;
    if (left < 0) throw new DamagedPicture();
    const to = Array.from({ length: count }, (_, index) =>
      bytes.readUIntBE(body + wide + 2 + index * wide, wide),
    );
    return { type, from: bytes.readUIntBE(body, wide), to };
  });
}

/** The properties that each item has, by their numbers in the list of all. */
export function propertiesOf(bytes: Buffer, ipco: Box, ipma: Box, budget: Budget): Map<number, Box[]> {
  const all = [...boxesIn(bytes, budget, ipco)];
  const own = new Map<number, Box[]>();
  const idBytes = bytes[ipma.body] === 0 ? 2 : 4;
  const wide = ((bytes[ipma.body + 3] ?? 0) & 1) === 0 ? 1 : 2;
  let at = ipma.body + 8;
  for (let left = Math.min(bytes.readUInt32BE(ipma.body + 4), maxItems); left > 0; left -= 1) {
    const id = bytes.readUIntBE(at, idBytes);
    const count = bytes.readUInt8(at + idBytes);
    at += idBytes + 1;
    const boxes: Box[] = [];
    for (let index = 0; index < count; index += 1, at += wide) {
      // The first bit marks the property as essential.
      const number = bytes.readUIntBE(at, wide) & (wide === 1 ? 0x7f : 0x7fff);
      const box = all[number - 1];
      if (box !== undefined) boxes.push(box);
    }
    own.set(id, boxes);
  }
  return own;
}

/** Whether an item with these properties is the transparency of another one. */
export function saysAlpha(bytes: Buffer, own: readonly Box[] = []): boolean {
  return own.some(
    ({ type, body, end }) => type === 'auxC' && /alpha|auxid:1\b/.test(bytes.toString('latin1', body, end)),
  );
}

/** Boxes of which a decoder may take another one than we do, where there are several. */
const single = new Set(['pitm', 'iinf', 'iprp', 'iref']);

/**
 * How many pixels are decoded for a picture that is made of items (AVIF, HEIC): its parts may be far larger
 * than what it shows of them, and so may its transparency. Infinity where that cannot be told. Throws {@link
 * DamagedPicture}.
 */
export function decodedPixels(bytes: Buffer): number {
  try {
    return pixelsIn(bytes, newBudget());
  } catch (error) {
    // More than is searched, or a table that ends too soon.
    if (error instanceof AppError || error instanceof RangeError) throw new DamagedPicture();
    throw error;
  }
}

function pixelsIn(bytes: Buffer, budget: Budget): number {
  const [meta, ...others] = [...boxesIn(bytes, budget)].filter(({ type }) => type === 'meta');
  if (meta === undefined) throw new DamagedPicture();
  const inside = { body: meta.body + 4, end: meta.end };
  const types = [...boxesIn(bytes, budget, inside)].flatMap(({ type }) => (single.has(type) ? type : []));
  if (others.length > 0 || new Set(types).size < types.length) return Number.POSITIVE_INFINITY;
  const of = (...path: string[]) => boxAlong(bytes, budget, inside, path);
  const [pitm, iinf, ipco, ipma] = [of('pitm'), of('iinf'), of('iprp', 'ipco'), of('iprp', 'ipma')];
  if (pitm === undefined || iinf === undefined || ipco === undefined || ipma === undefined)
    throw new DamagedPicture();
  const items = itemsIn(bytes, iinf, budget);
  const own = propertiesOf(bytes, ipco, ipma, budget);
  /** What is decoded for an item, its own pixels apart. */
  const parts = new Map<number, number[]>();
  const alphas = new Map<number, number[]>();
  for (const { type, from, to } of referencesIn(bytes, of('iref'), budget)) {
    if (type === 'dimg') parts.set(from, [...(parts.get(from) ?? []), ...to]);
    if (type !== 'auxl' || !saysAlpha(bytes, own.get(from))) continue;
    for (const id of to) alphas.set(id, [...(alphas.get(id) ?? []), from]);
  }
  const known = new Map<number, number>();
  const pixelsOf = (id: number): number => {
    const before = known.get(id);
    if (before !== undefined) return before;
    // Until it is known: what is a part of itself has no end.
    known.set(id, Number.POSITIVE_INFINITY);
    const shown = saidPixels(bytes, items.get(id)?.type, own.get(id));
    const pixels = Math.max(shown, pixelsOfAll(parts.get(id))) + pixelsOfAll(alphas.get(id));
    known.set(id, pixels);
    return pixels;
  };
  const pixelsOfAll = (ids: readonly number[] = []) => ids.reduce((all, id) => all + pixelsOf(id), 0);
  return pixelsOf(primaryIn(bytes, pitm));
}

/** How many pixels an item says that it has: a decoder refuses one that has more before it decodes it. */
function saidPixels(bytes: Buffer, type: string | undefined, own: readonly Box[] = []): number {
  const sizes = own.filter(property => property.type === 'ispe').map(({ body }) => body);
  // An overlay says its size elsewhere as well, and no camera makes one.
  if (type === undefined || type === 'iovl' || sizes.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(...sizes.map(body => bytes.readUInt32BE(body + 4) * bytes.readUInt32BE(body + 8)));
}
