import type { Input } from '../../contract/operations.ts';
import type { Person, Site } from './site.ts';

/** Who signs up. */
export const account = {
  username: 'mina',
  name: 'Mina Harker',
  email: 'mina@example.com',
  password: 'quincey',
};

type Essay = Extract<Input<'createPost'>, { type: 'essay' }>;

/** A published essay as an author would write it, but for what the test says. */
export function essay(fields: Partial<Essay> = {}): Essay {
  return {
    type: 'essay',
    title: 'On rivers',
    description: 'Where they come from.',
    content: 'They come from the hills.',
    tags: [],
    isDraft: false,
    ...fields,
  };
}

export function shortPost(content = 'A short post.', tags: string[] = []): Input<'createPost'> {
  return { type: 'short', content, tags, isDraft: false };
}

/**
 * Publishes posts a minute apart, so that their order is known. Returns their ids in order of publication.
 */
export async function publish(
  site: Site,
  author: Person,
  ...posts: Input<'createPost'>[]
): Promise<string[]> {
  const ids: string[] = [];
  for (const post of posts) {
    site.wait(60_000);
    ids.push((await site.call(author, 'createPost', post)).post.id);
  }
  return ids;
}
