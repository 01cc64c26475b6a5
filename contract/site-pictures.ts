/** The pictures of a site: their widths in pixels, and the ratio of width to height. */
export const sitePictures = {
  icon: { sizes: [32, 180, 192, 512], ratio: 1, type: 'image/png' },
  cover: { sizes: [800, 1600], ratio: 2, type: 'image/webp' },
} as const;
export type SitePicture = keyof typeof sitePictures;

/** The address of one size of a picture. Its content never changes. */
export function sitePictureAt(kind: SitePicture, digest: string, width: number): string {
  return `/site/${kind}-${width}-${digest}.${kind === 'icon' ? 'png' : 'webp'}`;
}

export const facePicture = { sizes: [160], ratio: 1, type: 'image/webp' } as const;

/** The address of an account's picture, made from `users.image`; null for none. */
export function faceAt(userId: string | null, name: string | null): string | null {
  return userId === null || name === null ? null : `/face/${userId}/${name}`;
}
