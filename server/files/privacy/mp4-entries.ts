import { asItIs, boxesIn, containing, type Rule, type Rules } from './boxes.ts';
import { uncleanable } from './refusals.ts';

/**
 * Codecs whose samples contain nothing but picture. Frames that are files of their own (JPEG, DV) contain
 * metadata.
 */
const pictureCodecs =
  /^(?:avc[1-4]|[hd]v[ch]1|hev1|dvhe|dva[1v]|vvc1|vvi1|av01|dav1|vp0[89]|mp4v|[sh]263|ap[cv][hnso]|ap4[hx])$/;
/** The same for sound, as browsers, phones and cameras record it. */
const soundCodecs =
  /^(?:mp4a|\.mp3|mp3 |Opus|fLaC|alac|apac|[ae]c-[34]|sam[rw]|sawb|sowt|twos|raw |NONE|lpcm|[if]pcm|[iu]n\d\d|in24|in32|fl32|fl64|ulaw|alaw|ima4|dts[cehlx]|mh[am]1)$/;

const leaf = (types: string): [string, Rule][] => types.split(' ').map(type => [type, asItIs]);

/** Everything that decoding a picture needs. */
const pictureParts: Rules = new Map(
  leaf(
    'avcC hvcC lhvC vvcC av1C vpcC dvcC dvvC dvwC esds d263 colr pasp clap fiel btrt mdcv clli amve ccst SmDm CoLL gama chrm auxi',
  ),
);

/**
 * FLAC in MP4 has its blocks of metadata: the first describes the sound, the others are tags and pictures.
 */
const keepFirstBlock: Rule = (bytes, { body, end }) => {
  const first = body + 4;
  if (first + 4 > end) return;
  bytes[first] = 0x80 | ((bytes[first] ?? 0) & 0x7f);
  bytes.fill(0, Math.min(end, first + 4 + bytes.readUIntBE(first + 1, 3)), end);
};

const zero = (bytes: Buffer, from: number, to: number, end: number) =>
  bytes.fill(0, Math.min(from, end), Math.min(to, end));

const soundLeaves: [string, Rule][] = [
  ...leaf('esds dOps alac dac3 dec3 dac4 chan chnl srat pcmC ddts mhaC dapa btrt'),
  ['dfLa', keepFirstBlock],
  // The maker of the encoder and its version.
  ['damr', (bytes, { body, end }) => zero(bytes, body, body + 5, end)],
];
const soundParts: Rules = new Map<string, Rule>([
  ...soundLeaves,
  ['wave', containing(new Map([...soundLeaves, ...leaf('frma mp4a enda \0\0\0\0')]))],
]);

/**
 * Bytes of a sound's description before its parts: QuickTime has two longer forms, ISO base media only the
 * first.
 */
export function soundHeadBytes(bytes: Buffer, entry: number, isQuickTime: boolean): number {
  if (!isQuickTime || entry + 18 > bytes.length) return 36;
  return { 1: 52, 2: 72 }[bytes.readUInt16BE(entry + 16)] ?? 36;
}

/**
 * The rule for the descriptions of a track's samples (`stsd`): keeps what decoding needs, without the names
 * of programs and makers. Throws permission-denied for a codec whose samples may hold more than pictures and
 * sound.
 */
export function describingSamples(isSound: boolean): Rule {
  return (bytes, { body, end }, budget) => {
    const isQuickTime = bytes[body] === 0;
    let known = Math.min(body + 8, end);
    for (const entry of boxesIn(bytes, budget, { body: known, end })) {
      const { type, start } = entry;
      if (!(isSound ? soundCodecs : pictureCodecs).test(type)) throw uncleanable();
      zero(bytes, start + 8, start + 14, entry.end);
      if (isSound) {
        // Revision and vendor.
        zero(bytes, start + 18, start + 24, entry.end);
        containing(soundParts, soundHeadBytes(bytes, start, isQuickTime) - 8)(bytes, entry, budget);
      } else {
        // Version, revision, vendor and two qualities; after the size, the name of the compressor.
        zero(bytes, start + 16, start + 32, entry.end);
        zero(bytes, start + 50, start + 82, entry.end);
        containing(pictureParts, 78)(bytes, entry, budget);
      }
      known = entry.end;
    }
    bytes.fill(0, known, Math.max(known, end));
  };
}
