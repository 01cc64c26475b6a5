import { expect, test } from 'vitest';
import { lengthOf, voiceFile } from './recording.ts';

test.each([
  [0.9, '0:00'],
  [65.2, '1:05'],
  [3_600, '60:00'],
])('%s seconds are %s', (seconds, shown) => expect(lengthOf(seconds)).toBe(shown));

test('a voice message is called by its length, with the end of its kind', () => {
  const named = (type: string) => voiceFile(new Blob([], { type }), 83).name;
  expect(named('audio/webm;codecs=opus')).toBe('Voice message (1.23 min).webm');
  expect(named('audio/mp4')).toBe('Voice message (1.23 min).m4a');
});
