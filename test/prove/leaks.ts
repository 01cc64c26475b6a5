import { allIds } from './model/rule.ts';
import type { World } from './model/world.ts';
import { useOf, wordsIn } from './words.ts';

/**
 * The words and ids in a text that are neither allowed nor part of the request, each with what it stands for.
 */
export function leaksIn(world: World, text: string, allowed: ReadonlySet<string>, asked = ''): string[] {
  const isOutOfPlace = (word: string) => !allowed.has(word) && !asked.includes(word);
  const words = [...wordsIn(text)].filter(isOutOfPlace).map(word => `${word} (${useOf(word)})`);
  const ids = [...allIds(world)]
    .filter(([id]) => id !== '' && isOutOfPlace(id) && text.includes(id))
    .map(([id, name]) => `${id} (the id of ${name})`);
  return [...words, ...ids];
}
