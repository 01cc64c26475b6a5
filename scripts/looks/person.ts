import type { SomeSettings } from '../../contract/site-settings.ts';
import type { Colours, Motif } from '../demo/pictures.ts';

export type Drawing = readonly [motif: Motif, turn: number];

/** What somebody has written: an essay if it has a title, with its pictures in the text. */
export type Entry = {
  day: string;
  title?: string;
  text: string;
  tags?: readonly string[];
  pictures?: readonly Drawing[];
};

/** Somebody with a site: what they choose in Settings, and what they write. */
export type Person = {
  username: string;
  name: string;
  settings: SomeSettings;
  colours: Colours;
  cover?: Drawing;
  /** A shape or letters, the colour behind it, and its own. */
  icon?: readonly [shape: string, colour: string, ink: string];
  about: string;
  entries: readonly Entry[];
};
