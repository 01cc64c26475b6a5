import { wordFor } from '../words.ts';
import type { Post } from './world.ts';

export const descriptionOf = (file: string, at: number) => wordFor(`description of ${file} at ${at}`);
export const altOf = (file: string, at: number) => wordFor(`alternative text of ${file} at ${at}`);

export function textOf({ head, tail }: { head: string; tail: string }): string {
  return `It begins with ${head}.\n\nIt ends with ${tail}.`;
}

/** The words of a post that step `at` writes. */
export function wordsAt(
  at: number,
  type: Post['type'],
): Pick<Post, 'title' | 'description' | 'head' | 'tail'> {
  return {
    title: type === 'essay' ? wordFor(`title at ${at}`) : null,
    description: type === 'essay' ? wordFor(`description at ${at}`) : null,
    head: wordFor(`head at ${at}`),
    tail: wordFor(`tail at ${at}`),
  };
}

export function shownWords(words: ReturnType<typeof wordsAt>, type: Post['type']) {
  return { type, title: words.title, description: words.description };
}

/** The name of a tag until somebody renames it. */
export const firstWordOfTag = (name: string) => wordFor(`tag ${name}`);
