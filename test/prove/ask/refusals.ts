import { objectPath } from '../../support/multipart.ts';
import { refusalOfPost } from '../model/post-refusals.ts';
import { mayHave, type Viewer } from '../model/rule.ts';
import type { Post, StoredFile, World } from '../model/world.ts';
import { type Answer, type Ask, callOf } from '../wire.ts';
import { wordFor } from '../words.ts';
import { type Finding, leak, type Question } from './question.ts';

/**
 * Somebody who may not know of a thing is refused exactly as for a thing that never existed: the status, the
 * headers and the text do not tell the difference (docs/security.md).
 */
export function postRefusals(asked: Post): Question[] {
  const isHidden = (world: World, viewer: Viewer) =>
    refusalOfPost(viewer, world.posts[asked.name] ?? asked) === 'not-found';
  // The address of a closed post reveals that it exists; the address where it is edited does not.
  const isNotRead = (world: World, viewer: Viewer) =>
    refusalOfPost(viewer, world.posts[asked.name] ?? asked) !== undefined;
  const nowhere = 'n'.repeat(asked.id.length);
  const alike = (isIt: typeof isHidden, about: (id: string) => Ask) =>
    refusedAlike(asked.id, nowhere, isIt, about);
  return [
    alike(isHidden, id => callOf('getPost', { postId: id }, {})),
    alike(isHidden, id => callOf('listComments', { postId: id }, {})),
    alike(isHidden, id => ({ path: `/post/${id}` })),
    alike(isHidden, id => ({ path: `/post/${id}/pictures.zip` })),
    alike(isHidden, id => callOf('listLikes', { postId: id }, {})),
    alike(isNotRead, id => ({ path: `/admin/posts/${id}/edit` })),
  ];
}

export function fileRefusals(asked: StoredFile): Question[] {
  const isHidden = (world: World, viewer: Viewer) =>
    !mayHave(world, viewer, world.files[asked.name] ?? asked);
  const nowhere = 'n'.repeat(asked.id.length);
  const noFile = asked.path.replace(asked.word, wordFor('name of nothing'));
  return [
    refusedAlike(asked.id, nowhere, isHidden, id => ({ path: `/files/${id}` })),
    refusedAlike(asked.id, nowhere, isHidden, id => ({ path: `/files/${id}?width=480` })),
    refusedAlike(asked.id, nowhere, isHidden, id => ({ path: `/files/${id}?width=poster` })),
    refusedAlike(asked.path, noFile, isHidden, path => ({ path: objectPath(path) })),
    refusedAlike(asked.path, noFile, isHidden, path => ({ path: `${objectPath(path)}?alt=media` })),
  ];
}

function refusedAlike(
  name: string,
  nowhere: string,
  isHidden: (world: World, viewer: Viewer) => boolean,
  about: (name: string) => Ask,
): Question {
  const { path, body = '' } = about(name);
  return {
    title: `refusal of ${path} ${body}`,
    ask: async send => [await send(about(name)), await send(about(nowhere))],
    judge: (world, viewer, [there, never]) => {
      if (there === undefined || never === undefined) return [];
      if (viewer !== null && !isHidden(world, viewer)) return [];
      return difference(withoutNames(there, name), withoutNames(never, nowhere));
    },
    // The refusal may repeat the name that was asked for.
    also: () => [wordFor('name of nothing')],
  };
}

/** Headers that differ between answers to the same request. */
const ofEachAnswer = ['date', 'x-request-id', 'content-length', 'etag'];

type Plain = { status: number; headers: string; text: string };

function withoutNames({ status, headers, bytes }: Answer, name: string): Plain {
  const left = Object.entries(headers).filter(([header]) => !ofEachAnswer.includes(header));
  const plain = (text: string) => text.replaceAll(name, 'NAME').replaceAll(encodeURIComponent(name), 'NAME');
  return { status, headers: plain(JSON.stringify(left.sort())), text: plain(bytes.toString()) };
}

function difference(there: Plain, never: Plain): Finding[] {
  return (['status', 'headers', 'text'] as const)
    .filter(part => there[part] !== never[part])
    .map(part =>
      leak(`its ${part} tells that it exists: ${shown(there[part])}, and otherwise ${shown(never[part])}`),
    );
}

const shown = (part: string | number) => String(part).slice(0, 600);
