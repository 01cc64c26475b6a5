import { publish, shortPost } from './factories.ts';
import type { Person, Site } from './site.ts';

/** A post with a comment of one member, and somebody else who reads it. */
export async function conversation(s: Site) {
  const [admin, writer, reader] = [await s.admin(), await s.member([], 'lucy'), await s.member([], 'mina')];
  const [postId = ''] = await publish(s, admin, shortPost());
  const add = async (as: Person, content: string, parentId?: string) => {
    s.wait(1_000);
    return (await s.call(as, 'addComment', { postId, content, ...(parentId && { parentId }) })).comment;
  };
  const threads = async (as: Person) => await s.call(as, 'listComments', { postId, threads: true });
  const shown = async (as: Person) =>
    (await threads(as)).comments.map(({ content, state }) => (state === 'shown' ? content : state));
  return { admin, writer, reader, postId, add, threads, shown, first: await add(writer, 'first') };
}
