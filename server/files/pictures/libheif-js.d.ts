/** The parts of the package that heic.ts uses; the package has no types. */
declare module 'libheif-js/wasm-bundle.js' {
  type Shown = { data: Uint8ClampedArray; width: number; height: number };
  type HeifImage = {
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
    /** Rotated as its boxes say. Calls back with null for a damaged picture. */
    display(into: Shown, onShown: (shown: Shown | null) => void): void;
  };
  const libheif: {
    ready?: Promise<unknown>;
    HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
  };
  export default libheif;
}
