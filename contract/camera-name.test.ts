import { expect, it } from 'vitest';
import { isCameraName } from './camera-name.ts';

it.each([
  'IMG_4711.HEIC.jpg',
  'IMG_4711',
  'IMG_E4711.JPG',
  'IMG-20240101-WA0001.jpg',
  'DSC_0001.JPG',
  'DSC01234.jpg',
  '_DSC1234.jpg',
  'DSCN0001.jpg',
  'PXL_20240101_101112345.MP.jpg',
  'P1050034.JPG',
  '20240101_101112.jpg',
  'Screenshot_20240101-101112_Chrome.jpg',
  'Screenshot 2024-01-01 at 10.11.12 AM.png',
  'Screen Shot 2024-01-01 at 10.11.12.png',
  'Bildschirmfoto 2024-01-01 um 10.11.12.png',
  'WhatsApp Image 2024-01-01 at 10.11.12 (1).jpeg',
  'photo_2024-01-01_10-11-12.jpg',
  'MVI_0001.mp4',
  'DJI_0042.MP4',
  'image.png',
  '3F2504E0-4F89-41D3-9A0C-0305E82C3301.jpg',
])('%s is the name of a camera or program', name => expect(isCameraName(name)).toBe(true));

it.each([
  '',
  'river.png',
  'river bank (1).png',
  'Grandmother in 1961.jpg',
  'Room101.jpg',
  'copy.png',
  'night 2.jpg',
  '2024',
  'Foto',
  'Photo 12 of the series on rivers',
  'A screenshot of the invoice',
  'Video',
  'high water.mp4',
])('%j may say something', name => expect(isCameraName(name)).toBe(false));
