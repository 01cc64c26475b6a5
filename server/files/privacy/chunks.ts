import { type Editor, editing } from './blank.ts';
import { incomplete, tooManyParts } from './refusals.ts';

const maxChunks = 10_000;

/**
 * A format of chunks, each with a name and a length: which of them are sound, and what replaces the others.
 */
type Form = { headBytes: number; isLittle: boolean; isLong: boolean; kept: RegExp; filler: string };

const forms: readonly [start: RegExp, form: Form][] = [
  [
    /^RIFF.{4}WAVE/s,
    { headBytes: 12, isLittle: true, isLong: false, kept: /^(?:fmt |data|fact)$/, filler: 'JUNK' },
  ],
  [
    /^FORM.{4}AIF[FC]/s,
    { headBytes: 12, isLittle: false, isLong: false, kept: /^(?:COMM|SSND|FVER)$/, filler: 'JUNK' },
  ],
  [
    /^caff/,
    { headBytes: 8, isLittle: false, isLong: true, kept: /^(?:desc|data|pakt|kuki|chan)$/, filler: 'free' },
  ],
];

/**
 * Replaces all chunks of a WAV, AIFF or CAF file that are not sound or its description by filler of the same
 * length, and cuts off what follows. Returns whether there was anything.
 */
export const clearChunks = editing(keepChunks);

async function keepChunks(editor: Editor): Promise<void> {
  const start = (await editor.read(0, 12)).toString('latin1');
  const form = forms.find(([begins]) => begins.test(start))?.[1];
  if (form === undefined) throw incomplete();
  const { headBytes, isLittle, isLong, kept, filler } = form;
  const numberAt = (bytes: Buffer) => {
    if (isLong) return Number(bytes.readBigInt64BE(4));
    return isLittle ? bytes.readUInt32LE(4) : bytes.readUInt32BE(4);
  };
  const chunkHead = isLong ? 12 : 8;
  const bytes = isLong ? 0 : numberAt(await editor.read(0, 8));
  // A recording that was streamed to disk does not state its length.
  const end = bytes === 0 || bytes >= 0xffff_fff0 ? editor.size : Math.min(editor.size, 8 + bytes);
  let at = headBytes;
  for (let chunks = 0; at + chunkHead <= end; chunks += 1) {
    if (chunks > maxChunks) throw tooManyParts();
    const head = await editor.read(at, chunkHead);
    const name = head.toString('latin1', 0, 4);
    const length = numberAt(head);
    const body = at + chunkHead;
    const next = length < 0 ? end : Math.min(end, body + length + (isLong ? 0 : length % 2));
    if (!kept.test(name)) {
      await editor.put(Buffer.from(filler, 'latin1'), at);
      await editor.blank(body, next);
    }
    at = next;
  }
  await editor.cut(at);
}
