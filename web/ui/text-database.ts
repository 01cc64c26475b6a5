import { BrowserDatabase } from './browser-database.ts';

/** The texts that are being written, by the keys of their copies. */
const texts = new BrowserDatabase<string>('coterie-drafts', 'copies');

export const putText = (key: string, text: string) => texts.put(key, text);
export const removeText = (key: string) => texts.remove(key);
/** All texts whose keys have this prefix, with their keys. */
export const textsWith = (prefix: string) => texts.valuesWith(prefix);
