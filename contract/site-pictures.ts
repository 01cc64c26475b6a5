/** The pictures of a site: their widths in pixels, and their width to their height. */
export const sitePictures = {
  icon: { sizes: [32, 180, 192, 512], ratio: 1, type: 'image/png' },
  cover: { sizes: [800, 1600], ratio: 2, type: 'image/webp' },
} as const;
export type SitePicture = keyof typeof sitePictures;

/** Where one size of a picture is. Its bytes never change under this address. */
export function sitePictureAt(kind: SitePicture, digest: string, width: number): string {
  return `/site/${kind}-${width}-${digest}.${kind === 'icon' ? 'png' : 'webp'}`;
}
