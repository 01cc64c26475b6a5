import { expect, it } from 'vitest';
import { typeOfBytes } from './type.ts';

it.each([
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff\xe0'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF\x10\0\0\0WEBPVP8 '],
  ['image/avif', '\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf'],
  ['image/avif', '\0\0\0\x18ftypmif1\0\0\0\0miafavif'],
  ['video/mp4', '\0\0\0\x18ftypmp42\0\0\0\0mp42isom'],
  ['video/mp4', '\0\0\0\x18ftypXAVC\0\0\0\0XAVCmp42'],
  ['video/mp4', '\0\0\0\x10ftyp????\0\0\0\0'],
  ['image/heic', '\0\0\0\x18ftypheix\0\0\0\0mif1heic'],
  ['image/x-canon-cr3', '\0\0\0\x18ftypcrx \0\0\0\x01crx isom'],
  ['video/quicktime', '\0\0\x12\x34moov\0\0\0\x6cmvhd'],
  ['video/quicktime', '\x0f\0\x12\x34mdat\0\0'],
  ['video/quicktime', '\0\0\0\x08wide\0\0\0\0mdat'],
  ['video/quicktime', '\0\0\0\x08free\0\0\0\0mdat'],
  ['video/quicktime', '\0\0\0\x08skip\0\0\0\0mdat'],
  ['video/quicktime', '\0\0\0\x14pnot\0\0\0\0'],
  ['video/mp4', '\0\0\0\x18stypmsdh\0\0\0\0msdhmsix'],
  ['application/octet-stream', 'Not free of charge'],
  ['audio/mpeg', 'ID3\x04'],
  ['application/octet-stream', '\xff\xfeT\0e\0x\0t\0'],
  ['image/svg+xml', '<?xml version="1.0"?>\n<!-- drawn -->\n<svg xmlns="http://www.w3.org/2000/svg">'],
  ['image/svg+xml', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [ <!ENTITY a "b"> ]>\n<svg>'],
  ['application/octet-stream', '<!doctype html><svg>'],
  ['application/octet-stream', '<script>alert(1)</script>'],
  ['application/octet-stream', ''],
  ['application/octet-stream', '\xef\xbb\xbfGIF89a'],
  ['application/octet-stream', 'GIFts for all'],
  ['audio/mpeg', 'ID3\x04\0\0\0\0\0\0\x89PNG\r\n\x1a\n'],
])('tells %s by content', (type, content) => {
  expect(typeOfBytes(Buffer.from(content, 'latin1'))).toBe(type);
});
