import type { Input, OperationName, Output } from '../contract/operations.ts';
import { keysOfByline } from './access/authorship.ts';
import type { ChangeKey } from './db/changes/record.ts';

/** What an answer is made from: the keys that follow from the input, and those that follow from the answer. */
type Source<Name extends OperationName> = {
  input?(input: Input<Name>): ChangeKey[];
  output?(output: Output<Name>): ChangeKey[];
};

const keysOfPost = (id: string): ChangeKey[] => [`post:${id}`, `counts:${id}`];

/** The operations whose answers are cached for all visitors. */
const sources: { [Name in OperationName]?: Source<Name> } = {
  getPosts: {
    // `published`: whether posts name their authors.
    input: () => ['timeline', 'tags', 'published'],
    output: ({ posts }) => posts.flatMap(post => [...keysOfPost(post.id), ...keysOfByline(post)]),
  },
  getPost: {
    input: ({ postId }) => ['tags', 'published', ...keysOfPost(postId)],
    output: ({ post }) => keysOfByline(post),
  },
  getTags: { input: () => ['tags', 'published'] },
  getSettings: { input: () => ['settings'] },
  // A visitor has no account, but the answer depends on the default tags.
  getViewer: { input: () => ['tags'] },
};

// The compiler cannot follow that a name selects its own source; the type of `sources` says so.
type AnySource = { input?(input: unknown): ChangeKey[]; output?(output: unknown): ChangeKey[] };

/**
 * The keys of the changes that invalidate the answer to this input; `anything` for an operation that is not named
 * above.
 */
export function keysOfInput(name: OperationName, input: unknown): ChangeKey[] {
  const source = sources[name] as AnySource | undefined;
  return source === undefined ? ['anything'] : (source.input?.(input) ?? []);
}

/** As `keysOfInput`, for the answer. */
export function keysOfOutput(name: OperationName, output: unknown): ChangeKey[] {
  const source = sources[name] as AnySource | undefined;
  return source?.output?.(output) ?? [];
}
