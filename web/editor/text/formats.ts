import { Bold, Code, Heading, Italic, Link, List, type LucideIcon, Quote } from 'lucide-react';
import type { Format } from './commands.ts';

/**
 * The formats in the order of the toolbar, and the keys of each, as CodeMirror names them: `Mod` is the
 * command key of a Mac, and Ctrl elsewhere.
 */
export const formats: readonly { format: Format; name: string; key: string; icon: LucideIcon }[] = [
  { format: 'bold', name: 'Bold', key: 'Mod-b', icon: Bold },
  { format: 'italic', name: 'Italic', key: 'Mod-i', icon: Italic },
  { format: 'link', name: 'Link', key: 'Mod-k', icon: Link },
  { format: 'heading', name: 'Heading', key: 'Mod-Alt-2', icon: Heading },
  { format: 'quote', name: 'Quote', key: 'Mod-Shift-9', icon: Quote },
  { format: 'list', name: 'List', key: 'Mod-Shift-8', icon: List },
  { format: 'code', name: 'Code', key: 'Mod-e', icon: Code },
];

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** A shortcut in the notation of this computer. */
export function withModifier(keys: string): string {
  return isMac ? `⌘${keys.replaceAll('Shift+', '⇧').replaceAll('Alt+', '⌥')}` : `Ctrl+${keys}`;
}

/** Whether a key saves: Ctrl+S, on a Mac Cmd+S; by its place where the layout has other letters. */
export function isSaveKey(event: KeyboardEvent): boolean {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  const isS = /^[a-z]$/i.test(key) ? key.toLowerCase() === 's' : code === 'KeyS';
  const isModified = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isS && isModified && !altKey && !shiftKey;
}

export function shortcutOf(key: string): string {
  const keys = key.replace('Mod-', '').replaceAll('-', '+');
  return withModifier(keys.length === 1 ? keys.toUpperCase() : keys);
}
