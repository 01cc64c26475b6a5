/** What the thread of HEIC pictures uses of the package, which comes without types for it. */
declare module 'libheif-js/wasm-bundle.js' {
  type Shown = { data: Uint8ClampedArray; width: number; height: number };
  type HeifImage = {
    get_width(): number;
    get_height(): number;
    is_primary(): boolean;
    /** Upright, as its boxes say. Calls back with null for one that is damaged. */
    display(into: Shown, onShown: (shown: Shown | null) => void): void;
  };
  const libheif: {
    ready?: Promise<unknown>;
    HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
  };
  export default libheif;
}
