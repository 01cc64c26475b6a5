/** A hundredth of a second of silence, as a WAV. */
export const silence = (() => {
  const samples = Buffer.alloc(80, 128);
  const head = Buffer.from(
    'RIFF____WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data____',
    'latin1',
  );
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
})();
