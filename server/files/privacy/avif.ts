import { AppError } from '../../../contract/errors.ts';
import {
  asItIs,
  type Box,
  type Budget,
  boxAlong,
  boxesIn,
  containing,
  freeBox,
  keepBoxes,
  newBudget,
  type Rule,
} from './boxes.ts';
import {
  type Item,
  itemsIn,
  maxItems,
  primaryIn,
  propertiesOf,
  type Reference,
  referencesIn,
  saysAlpha,
} from './heif-items.ts';
import { cleanIndex, pictureTracks, tracksOf, withoutName } from './mp4-index.ts';
import { sampleSpans } from './mp4-samples.ts';
import { between, joined, type Span } from './spans.ts';
import { DamagedPicture } from './strip.ts';

/** Items that are pictures, or say how pictures become one. */
const pictureItems = new Set(['av01', 'grid', 'iovl', 'iden', 'tmap']);
const properties = new Map<string, Rule>(
  'av1C ispe pixi colr pasp clap irot imir auxC a1op a1lx lsel clli mdcv cclv amve ndwt reve'
    .split(' ')
    .map(type => [type, asItIs]),
);

type Place = { isInside: boolean; spans: Span[] };

/**
 * An AVIF without data that does not show it. Kept are the picture, its tiles, its transparency and gain map,
 * and the tracks of an animation. Exif, XMP, thumbnails, other pictures, unknown boxes and gaps become zeros
 * in place; trailing data are cut off. Nothing is encoded again. Throws {@link DamagedPicture}. `width` and
 * `height` are the displayed size; `isStandard` is false for colours beyond those of most screens.
 */
export function stripAvif(received: Buffer) {
  try {
    return strip(received);
  } catch (error) {
    // More boxes than are searched, or a missing table.
    if (error instanceof AppError) throw new DamagedPicture();
    throw error;
  }
}

function strip(received: Buffer) {
  const bytes = Buffer.from(received);
  const budget = newBudget();
  const boxes = [...boxesIn(bytes, budget)];
  const meta = boxes.find(({ type }) => type === 'meta');
  if (meta === undefined) throw new DamagedPicture();
  const shown = cleanItems(bytes, meta, budget);
  let spans = shown.spans;
  const index = boxes.find(({ type }) => type === 'moov');
  if (index !== undefined) {
    const inside = bytes.subarray(index.body, index.end);
    const tracks = tracksOf(inside, budget, pictureTracks);
    spans = spans.concat(sampleSpans(inside, tracks, budget));
    cleanIndex(inside, tracks, budget);
  }
  const needed = joined(spans);
  let end = 0;
  for (const box of boxes) {
    if (box.type === 'mdat')
      for (const [from, to] of between(needed, [box.body, box.end])) bytes.fill(0, from, to);
    else if (box !== meta && box !== index && box !== boxes[0]) {
      freeBox(bytes, box);
      continue;
    }
    end = box.end;
  }
  return {
    bytes: bytes.subarray(0, end),
    width: shown.width,
    height: shown.height,
    isStandard: shown.isStandard,
  };
}

function cleanItems(bytes: Buffer, meta: Box, budget: Budget) {
  const inside = { body: meta.body + 4, end: meta.end };
  const of = (...path: string[]) => boxAlong(bytes, budget, inside, path);
  const [pitm, iinf, iloc, ipco, ipma] = [
    of('pitm'),
    of('iinf'),
    of('iloc'),
    of('iprp', 'ipco'),
    of('iprp', 'ipma'),
  ];
  if (
    pitm === undefined ||
    iinf === undefined ||
    iloc === undefined ||
    ipco === undefined ||
    ipma === undefined
  ) {
    throw new DamagedPicture();
  }
  const primary = primaryIn(bytes, pitm);
  const items = itemsIn(bytes, iinf, budget);
  const ownProperties = propertiesOf(bytes, ipco, ipma, budget);
  const isAlpha = (id: number) => saysAlpha(bytes, ownProperties.get(id));
  const kept = keptItems(referencesIn(bytes, of('iref'), budget), items, primary, isAlpha);
  if (!kept.has(primary)) throw new DamagedPicture();
  const places = placesIn(bytes, iloc);
  const placed = [...kept].map(id => places.get(id) ?? { isInside: false, spans: [] });
  const idat = of('idat');
  const idatSpans = joined(
    placed
      .flatMap(({ isInside, spans }) => (isInside ? spans : []))
      .map(([from, to]): Span => {
        const base = idat?.body ?? 0;
        return [base + from, base + to];
      }),
  );
  for (const [id, { box, nameAt }] of items) {
    if (!kept.has(id)) bytes.write('free', nameAt - 4, 'latin1');
    bytes.fill(0, Math.min(nameAt, box.end), box.end);
  }
  keepBoxes(
    bytes,
    inside,
    new Map<string, Rule>([
      ['hdlr', withoutName],
      ['pitm', asItIs],
      ['iloc', asItIs],
      ['iinf', asItIs],
      ['iref', asItIs],
      [
        'iprp',
        containing(
          new Map<string, Rule>([
            ['ipco', containing(properties)],
            ['ipma', asItIs],
          ]),
        ),
      ],
      ['grpl', containing(new Map([['altr', asItIs]]))],
      [
        'idat',
        (_, { body, end }) => {
          for (const [from, to] of between(idatSpans, [body, end])) bytes.fill(0, from, to);
        },
      ],
    ]),
    budget,
  );
  return {
    spans: placed.flatMap(({ isInside, spans }) => (isInside ? [] : spans)),
    ...sizeFrom(bytes, ownProperties.get(primary) ?? []),
  };
}

/** The picture, what it is made of, its transparency, and the gain map that is made of it. */
function keptItems(
  references: readonly Reference[],
  items: ReadonlyMap<number, Item>,
  primary: number,
  isAlpha: (id: number) => boolean,
): Set<number> {
  const kept = new Set<number>();
  const waiting = [primary];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (kept.has(id) || !pictureItems.has(items.get(id)?.type ?? '')) continue;
    kept.add(id);
    for (const { type, from, to } of references) {
      if (type === 'dimg' && from === id) waiting.push(...to);
      if (!to.includes(id)) continue;
      const isMap = type === 'dimg' && items.get(from)?.type === 'tmap';
      if (isMap || (type === 'auxl' && isAlpha(from))) waiting.push(from);
    }
  }
  return kept;
}

/** Where the data of items are: in the file, or inside the box `idat` (ISO/IEC 14496-12, 8.11.3). */
function placesIn(bytes: Buffer, { body }: Box): Map<number, Place> {
  const version = bytes[body] ?? 0;
  const sizes = bytes.readUInt16BE(body + 4);
  const offsetBytes = sizes >> 12;
  const lengthBytes = (sizes >> 8) & 15;
  const baseBytes = (sizes >> 4) & 15;
  const indexBytes = version === 0 ? 0 : sizes & 15;
  let at = body + 6;
  const take = (length: number) => {
    at += length;
    if (length === 0) return 0;
    return length === 8 ? Number(bytes.readBigUInt64BE(at - 8)) : bytes.readUIntBE(at - length, length);
  };
  const idBytes = version < 2 ? 2 : 4;
  const places = new Map<number, Place>();
  for (let left = take(idBytes); left > 0; left -= 1) {
    const id = take(idBytes);
    const method = version === 0 ? 0 : take(2) & 15;
    take(2);
    const base = take(baseBytes);
    const spans: Span[] = [];
    for (let extents = take(2); extents > 0; extents -= 1) {
      take(indexBytes);
      const from = base + take(offsetBytes);
      spans.push([from, from + take(lengthBytes)]);
    }
    if (places.size === maxItems) throw new DamagedPicture();
    places.set(id, { isInside: method === 1, spans });
  }
  return places;
}

function sizeFrom(bytes: Buffer, own: readonly Box[]) {
  const of = (type: string) => own.find(box => box.type === type);
  const ispe = of('ispe');
  const irot = of('irot');
  const colr = of('colr');
  if (ispe === undefined) throw new DamagedPicture();
  const across = bytes.readUInt32BE(ispe.body + 4);
  const down = bytes.readUInt32BE(ispe.body + 8);
  const isTurned = irot !== undefined && (bytes.readUInt8(irot.body) & 1) === 1;
  // Primaries other than those of sRGB, without a profile: the sizes would lose them.
  const isStandard =
    colr === undefined ||
    bytes.toString('latin1', colr.body, colr.body + 4) !== 'nclx' ||
    [1, 2].includes(bytes.readUInt16BE(colr.body + 4));
  return isTurned ? { width: down, height: across, isStandard } : { width: across, height: down, isStandard };
}
