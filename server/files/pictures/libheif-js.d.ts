/** The parts of the package that heic.ts uses; the package has no types. */
declare module 'libheif-js/wasm-bundle.js' {
  type HeifImage = {
    handle: object;
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
  };
  /** In the memory of the decoder, with `stride` bytes in a row of the picture. */
  type Channel = { data: Uint8Array<ArrayBuffer>; width: number; height: number; stride: number };
  const libheif: {
    ready?: Promise<unknown>;
    HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
    heif_colorspace: { heif_colorspace_RGB: object };
    heif_chroma: { heif_chroma_interleaved_RGBA: object };
    /** Rotated as its boxes say. Without channels for a damaged picture. */
    heif_js_decode_image2(
      handle: object,
      colorspace: object,
      chroma: object,
    ): Promise<{ channels?: Channel[] } | null | undefined>;
  };
  export default libheif;
}
