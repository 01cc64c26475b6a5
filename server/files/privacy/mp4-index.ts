import {
  asItIs,
  type Box,
  type Budget,
  boxAlong,
  boxesIn,
  containing,
  freeBox,
  keepBoxes,
  type Rule,
  type Rules,
  table,
} from './boxes.ts';
import { describingSamples } from './mp4-entries.ts';
import { uncleanable } from './refusals.ts';

/** A track of a video's index: its number, whether it is kept, and where its tables are. */
export type Track = { id: number; isKept: boolean; isSound: boolean; box: Box };

export const playedTracks = /^(?:vide|soun)$/;
/** The handlers of tracks that are kept in an animated picture: its pictures and their transparency. */
export const pictureTracks = /^(?:pict|vide|auxv)$/;

/** Zero means an unknown time. The numbers have 64 bits in version 1. */
const withoutTimes: Rule = (bytes, { body, end }) => {
  bytes.fill(0, Math.min(body + 4, end), Math.min(end, body + 4 + (bytes[body] === 1 ? 16 : 8)));
};

/** The handler of a track or its data, without the maker and the name. */
export const withoutName: Rule = (bytes, { body, end }) => {
  bytes.fill(0, Math.min(body + 12, end), end);
};

/** The location of the data: this file. A QuickTime alias names disk, folder and owner. */
const inThisFile: Rule = (bytes, { body, end }, budget) => {
  for (const entry of boxesIn(bytes, budget, { body: Math.min(body + 8, end), end })) {
    bytes.fill(0, entry.body, entry.end);
    if (entry.body + 4 <= entry.end) bytes[entry.body + 3] = 1;
  }
};

/** Sample groups that say where decoding may begin; other kinds may hold anything. */
const groupsOfSamples: Rule = (bytes, box) => {
  const kind = bytes.toString('latin1', box.body + 4, box.body + 8);
  if (!/^(?:roll|prol|rap )$/.test(kind)) freeBox(bytes, box);
};

const samples = (isSound: boolean): Rules =>
  new Map<string, Rule>([
    ['stsd', describingSamples(isSound)],
    ['stts', table(8)],
    ['ctts', table(8)],
    ['cslg', asItIs],
    ['stss', table(4)],
    ['stps', table(4)],
    ['stsc', table(12)],
    [
      'stsz',
      (bytes, box, budget) => table(bytes.readUInt32BE(box.body + 4) === 0 ? 4 : 0, 12)(bytes, box, budget),
    ],
    ['stz2', asItIs],
    ['stco', table(4)],
    ['co64', table(8)],
    ['sdtp', asItIs],
    ['sbgp', groupsOfSamples],
    ['sgpd', groupsOfSamples],
  ]);

const trackParts = (isSound: boolean): Rules =>
  new Map<string, Rule>([
    ['tkhd', withoutTimes],
    // Which track has the transparency of another.
    ['tref', containing(new Map([['auxl', asItIs]]))],
    ['edts', containing(new Map([['elst', asItIs]]))],
    ['tapt', containing(new Map(['clef', 'prof', 'enof'].map(type => [type, asItIs])))],
    [
      'mdia',
      containing(
        new Map<string, Rule>([
          ['mdhd', withoutTimes],
          ['hdlr', withoutName],
          [
            'minf',
            containing(
              new Map<string, Rule>([
                ['vmhd', asItIs],
                ['smhd', asItIs],
                ['hdlr', withoutName],
                ['dinf', containing(new Map([['dref', inThisFile]]))],
                ['stbl', containing(samples(isSound))],
              ]),
            ),
          ],
        ]),
      ),
    ],
  ]);
const pictureTrack = trackParts(false);
const soundTrack = trackParts(true);

/** The tracks of an index that fills `index` exactly. */
export function tracksOf(index: Buffer, budget: Budget, kept: RegExp): Track[] {
  return [...boxesIn(index, budget)]
    .filter(({ type }) => type === 'trak')
    .map(box => {
      const head = boxAlong(index, budget, box, ['tkhd']);
      const handler = boxAlong(index, budget, box, ['mdia', 'hdlr']);
      const handling =
        handler === undefined ? '' : index.toString('latin1', handler.body + 8, handler.body + 12);
      const idAt = head === undefined ? 0 : head.body + (index[head.body] === 1 ? 20 : 12);
      return {
        id: head !== undefined && idAt + 4 <= head.end ? index.readUInt32BE(idAt) : 0,
        isKept: kept.test(handling),
        isSound: handling === 'soun',
        box,
      };
    });
}

/**
 * Clears the index of a video in place: keeps tracks of pictures and sound, with the tables that playing
 * needs. Throws permission-denied for a compressed index, and for a codec whose samples may hold more.
 */
export function cleanIndex(index: Buffer, tracks: readonly Track[], budget: Budget): void {
  const removed = new Set(tracks.flatMap(({ isKept, id }) => (isKept ? [] : [id])));
  const byPlace = new Map(tracks.map(track => [track.box.start, track]));
  keepBoxes(
    index,
    { body: 0, end: index.length },
    new Map<string, Rule>([
      ['mvhd', withoutTimes],
      [
        'cmov',
        () => {
          throw uncleanable();
        },
      ],
      [
        'trak',
        (bytes, box) => {
          const track = byPlace.get(box.start);
          if (track === undefined || !track.isKept) freeBox(bytes, box);
          else keepBoxes(bytes, box, track.isSound ? soundTrack : pictureTrack, budget);
        },
      ],
      [
        'mvex',
        containing(
          new Map<string, Rule>([
            ['mehd', asItIs],
            [
              'trex',
              (bytes, box) => {
                if (box.body + 8 > box.end || removed.has(bytes.readUInt32BE(box.body + 4)))
                  freeBox(bytes, box);
              },
            ],
          ]),
        ),
      ],
    ]),
    budget,
  );
}
