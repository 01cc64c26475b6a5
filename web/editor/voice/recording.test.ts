import { expect, test } from 'vitest';
import { lengthOf, voiceFile } from './recording.ts';

test.each([
  [0.9, '0:00'],
  [65.2, '1:05'],
  [3_600, '60:00'],
])('%s seconds are %s', (seconds, shown) => expect(lengthOf(seconds)).toBe(shown));

test('a voice message is called by its length, with the end of its kind', () => {
  const named = (type: string, seconds: number) => voiceFile(new Blob([], { type }), seconds).name;
  expect(named('audio/webm;codecs=opus', 83.9)).toBe('Voice message (1 min 23 s).webm');
  expect(named('audio/mp4', 5)).toBe('Voice message (5 s).m4a');
});
