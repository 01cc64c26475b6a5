import { objectPath } from '../../support/multipart.ts';
import { faceOf, mayHave, readsNameOf, type Viewer, viewerOf } from '../model/rule.ts';
import { importPath } from '../model/transfer-acts.ts';
import { type Download, existing, type StoredFile, type World } from '../model/world.ts';
import type { Answer, Ask } from '../wire.ts';
import type { SeenTags } from './pages.ts';
import { type Finding, leak, missing, type Question, wrong } from './question.ts';

/**
 * Every address and form in which a file can be asked for. For those who may not have it the answer is that
 * there is none.
 */
export function fileQuestions(world: World, asked: StoredFile, seen: SeenTags): Question[] {
  const own = `/files/${asked.id}`;
  const object = objectPath(asked.path);
  const current = (at: World) => at.files[asked.name] ?? asked;
  const isAllowed = (at: World, viewer: Viewer) => mayHave(at, viewer, current(at));
  const tokens = Object.values(world.downloads).filter(({ file }) => file === asked.name);
  const ofAnother = Object.values(world.downloads).findLast(({ file }) => file !== asked.name);
  return [
    media(`${own}/name.txt`, asked, seen, isAllowed),
    media(`${own}?width=480`, asked, seen, isAllowed),
    media(`${own}?width=original`, asked, seen, isAllowed),
    media(`${object}?alt=media`, asked, seen, isAllowed),
    ...(ofAnother === undefined
      ? []
      : [media(`${object}?alt=media&token=${ofAnother.token}`, asked, seen, isAllowed)]),
    ...tokens.slice(-3).map((download): Question => {
      const opens = (at: World) => isHolderAllowed(at, download, current(at));
      const path = `${object}?alt=media&token=${download.token}`;
      return {
        ...media(path, asked, seen, (at, viewer) => isAllowed(at, viewer) || opens(at)),
        // Whoever has the token gets the file that it opens.
        also: at => (opens(at) ? [asked.id, asked.word, asked.bytesWord ?? ''] : []),
      };
    }),
    {
      title: `what ${asked.name} is`,
      ask: async send => [await send({ path: object })],
      judge: (at, viewer, [answer]) => {
        const text = answer?.bytes.toString() ?? '';
        const isThere = viewer !== null && isAllowed(at, viewer);
        return [
          ...judgeStatus(answer, statusFor(viewer, isThere)),
          ...(isThere ? missing(text, [asked.word]) : []),
        ];
      },
    },
  ];
}

/** How long a download token opens its file, in milliseconds. */
const downloadMs = 60 * 60_000;

/**
 * A download token opens its file with the present rights of the person who got it, for an hour, or until the
 * session or access token ends with which they asked for it.
 */
function isHolderAllowed(world: World, { holder, madeAt }: Download, file: StoredFile): boolean {
  if (world.now > madeAt + downloadMs) return false;
  if (holder === null) return mayHave(world, viewerOf(world, null), file);
  const held = world.sessions[holder] ?? world.tokens[holder];
  const account = held?.isOpen ? world.accounts[held.account] : undefined;
  return account !== undefined && mayHave(world, viewerOf(world, account), file);
}

const statusFor = (viewer: Viewer | null, isAllowed: boolean) =>
  viewer === null ? 401 : isAllowed ? 200 : 404;

function media(
  path: string,
  file: StoredFile,
  seen: SeenTags,
  isAllowed: (world: World, viewer: Viewer) => boolean,
): Question {
  return {
    title: `${file.name} at ${path}`,
    ask: async send => {
      const asks: Ask[] = [
        { path },
        { path, headers: { range: 'bytes=0-3' } },
        { path, method: 'HEAD' },
        ...seen(path)
          .slice(-1)
          .map(tag => ({ path, headers: { 'if-none-match': tag } })),
      ];
      return await Promise.all(asks.map(send));
    },
    judge: (world, viewer, [whole, part, head, known]) => {
      const isThere = viewer !== null && isAllowed(world, viewer);
      const status = statusFor(viewer, isThere);
      const findings = [
        ...judgeStatus(whole, status),
        ...judgeStatus(part, isThere ? 206 : status),
        ...judgeStatus(head, status),
      ];
      if (known !== undefined) findings.push(...judgeStatus(known, isThere ? [304, 200] : status));
      if (!isThere) {
        for (const answer of [whole, part, head, known]) {
          if (answer?.headers.etag !== undefined)
            findings.push(leak('the answer to who may not have it has a tag'));
        }
      }
      const text = whole?.bytes.toString() ?? '';
      if (isThere && file.bytes !== null && text !== file.bytes) findings.push(wrong(`it holds ${text}`));
      return findings;
    },
  };
}

export function judgeStatus(answer: Answer | undefined, expected: number | readonly number[]): Finding[] {
  const actual = answer?.status ?? 0;
  const allowed = [expected].flat();
  if (allowed.includes(actual)) return [];
  const text = `the status is ${actual}, not ${allowed.join(' or ')}`;
  return [actual < 400 && !allowed.some(status => status < 400) ? leak(text) : wrong(text)];
}

/** The pictures of people, for those who read their names. */
export function faceQuestions(world: World): Question[] {
  return Object.values(world.accounts).flatMap(({ name, face }): Question[] => {
    if (face === undefined) return [];
    const path = face.address;
    const isThere = (at: World, viewer: Viewer) => {
      const account = at.accounts[name];
      return account !== undefined && faceOf(account) === path && readsNameOf(at, viewer, account);
    };
    return [
      {
        title: `the face of ${name}`,
        ask: async send => [await send({ path })],
        judge: (at, viewer, [answer]) =>
          judgeStatus(answer, statusFor(viewer, viewer !== null && isThere(at, viewer))),
      },
    ];
  });
}

/** The list of all files, for those who may upload. */
export function filesList(): Question {
  return {
    title: 'list of files',
    ask: async send => [await send({ path: '/v0/b/coterie/o?prefix=posts/' })],
    judge: (world, viewer, [answer]) => {
      if (viewer === null || viewer.account === null) return judgeStatus(answer, 401);
      if (viewer.role !== 'admin' && viewer.role !== 'author') return judgeStatus(answer, 403);
      const findings = judgeStatus(answer, 200);
      if (findings.length > 0) return findings;
      const { items } = JSON.parse(answer?.bytes.toString() ?? '{}') as { items: { name: string }[] };
      const isListed = (owner: string | null) => viewer.role === 'admin' || owner === viewer.account?.name;
      const archives = Object.values(world.transfers).filter(
        ({ kind, hasFile }) => kind === 'import' && hasFile,
      );
      const paths = [
        ...existing(world.files)
          .filter(file => isListed(file.uploader))
          .map(file => file.path),
        ...archives.filter(({ uploader }) => isListed(uploader)).map(({ name }) => importPath(name)),
      ].sort();
      const names = items.map(item => item.name);
      return names.join() === paths.join() ? [] : [wrong(`it holds ${names}, not ${paths}`)];
    },
  };
}
