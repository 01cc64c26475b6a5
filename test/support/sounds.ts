/** How many bytes of {@link silenceOf} are a second. */
export const samplesPerSecond = 8_000;

/** Silence of this length in seconds, as a WAV. */
export function silenceOf(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * samplesPerSecond, 128);
  const head = Buffer.from(
    'RIFF____WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data____',
    'latin1',
  );
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** A hundredth of a second of silence, as a WAV. */
export const silence = silenceOf(0.01);
