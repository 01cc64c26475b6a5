import type { Output } from '../../contract/operations.ts';

type Page = Output<'listComments'>;
export type Comment = Page['comments'][number];

type Thread = { first: Comment; answers: Comment[] };

/** The comments of a page: each top-level one is followed by its answers. */
function threadsOf(comments: readonly Comment[]): Thread[] {
  const threads: Thread[] = [];
  for (const comment of comments) {
    const last = threads.at(-1);
    if (comment.parentId === null || last === undefined) threads.push({ first: comment, answers: [] });
    else last.answers.push(comment);
  }
  return threads;
}

const flat = (threads: readonly Thread[]) => threads.flatMap(({ first, answers }) => [first, ...answers]);

/**
 * The pages after a change: changed comments stay in their place, new ones come first, new answers last below
 * the comment that they answer, if it is on the page. Returns them with those that are new.
 */
export function changedPages(
  pages: readonly Page[],
  { added, removed }: { added: readonly Comment[]; removed: readonly string[] },
): { pages: Page[]; fresh: Comment[] } {
  const written = new Map(added.map(comment => [comment.id, comment]));
  const gone = new Set(removed.filter(id => !written.has(id)));
  const known = new Set(pages.flatMap(page => page.comments.map(({ id }) => id)));
  const fresh = added.filter(({ id }) => !known.has(id));
  const answered = new Set<string>();
  const changed = pages.map(page => {
    const left = page.comments.filter(({ id }) => !gone.has(id)).map(one => written.get(one.id) ?? one);
    const threads = threadsOf(left);
    for (const { first, answers } of threads) {
      const own = fresh.filter(({ parentId }) => parentId === first.id);
      if (own.length === 0) continue;
      for (const { id } of own) answered.add(id);
      answers.push(...own);
      answers.sort(oldestFirst);
    }
    return { ...page, comments: flat(threads) };
  });
  const beginnings = fresh.filter(({ parentId }) => parentId === null);
  const [first] = changed;
  if (first !== undefined && beginnings.length > 0) {
    const threads = [...beginnings.map(one => ({ first: one, answers: [] })), ...threadsOf(first.comments)];
    threads.sort((a, b) => -oldestFirst(a.first, b.first));
    changed[0] = { ...first, comments: flat(threads) };
  }
  return { pages: changed, fresh: fresh.filter(one => one.parentId === null || answered.has(one.id)) };
}

function oldestFirst(a: Comment, b: Comment): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
