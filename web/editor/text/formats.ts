import { Bold, Code, Heading, Italic, Link, List, type LucideIcon, Quote } from 'lucide-react';
import type { Format } from './commands.ts';

/** The formats in the order of the toolbar. */
export const formats: readonly { format: Format; name: string; icon: LucideIcon }[] = [
  { format: 'bold', name: 'Bold', icon: Bold },
  { format: 'italic', name: 'Italic', icon: Italic },
  { format: 'link', name: 'Link', icon: Link },
  { format: 'heading', name: 'Heading', icon: Heading },
  { format: 'quote', name: 'Quote', icon: Quote },
  { format: 'list', name: 'List', icon: List },
  { format: 'code', name: 'Code', icon: Code },
];

/** The keys of each, as CodeMirror names them: `Mod` is the command key of a Mac, and Ctrl elsewhere. */
export const formatKeys: Record<Format, string> = {
  bold: 'Mod-b',
  italic: 'Mod-i',
  link: 'Mod-k',
  code: 'Mod-e',
  heading: 'Mod-Alt-2',
  list: 'Mod-Shift-8',
  quote: 'Mod-Shift-9',
};

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** A shortcut in the notation of this computer. */
export function withModifier(keys: string): string {
  return isMac ? `⌘${keys.replaceAll('Shift+', '⇧').replaceAll('Alt+', '⌥')}` : `Ctrl+${keys}`;
}

export function keysOf(format: Format): string {
  const keys = formatKeys[format].replace('Mod-', '').replaceAll('-', '+');
  return withModifier(keys.length === 1 ? keys.toUpperCase() : keys);
}
