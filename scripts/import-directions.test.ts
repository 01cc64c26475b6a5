import { expect, it } from 'vitest';
import { largeCircles, wrongImports } from './import-directions.ts';

const check = (files: Record<string, string>) => wrongImports(new Map(Object.entries(files)));

it('the check lets a folder that it has never heard of stand on the database, the access rule and another feature', () => {
  const source = `
    import { Id } from '../../contract/values.ts';
    import { lockReadable } from '../access/posts.ts';
    import { inTransaction } from '../db/transaction.ts';
    import type { ReadContext } from '../access/context.ts';
    import type { Config } from '../config.ts';
    import { queueMail } from '../mail/write.ts';`;
  expect(check({ 'server/polls/write.ts': source })).toEqual([]);
});

it.each([
  ['the HTTP layer', '../http/request.ts'],
  ['a surface', '../surfaces/feed.ts'],
  ['live streams', '../live/hub.ts'],
  ['the settings, in values', '../config.ts'],
  ['the operations of another feature', '../likes/operations.ts'],
  ['the web app', '../../web/call.ts'],
  ['all dependencies at once', '../deps.ts'],
])('the check refuses %s to a folder that it has never heard of', (_, path) => {
  expect(check({ 'server/polls/read.ts': `import { thing } from '${path}';` })).toHaveLength(1);
});

it.each(['server/db/page.ts', 'server/access/posts.ts', 'server/http/errors.ts', 'contract/posts.ts'])(
  'the check refuses a new feature to %s',
  file => {
    const up = file.startsWith('contract') ? '../server' : '..';
    expect(check({ [file]: `import { countVotes } from '${up}/polls/read.ts';` })).toHaveLength(1);
  },
);

it('the check refuses two features that need each other, through a third one too, but not in types alone', () => {
  const circle = {
    'server/polls/read.ts': `import { a } from '../likes/read.ts';`,
    'server/likes/read.ts': `import { b } from '../tags/read.ts';`,
    'server/tags/read.ts': `import { c } from '../polls/write.ts';`,
  };
  expect(check(circle)).toEqual(['These folders need each other: server/likes, server/polls, server/tags']);
  expect(check({ ...circle, 'server/tags/read.ts': `import type { C } from '../polls/write.ts';` })).toEqual(
    [],
  );
});

it('the check refuses six files that need each other, in types too, but not five', () => {
  const ring = (size: number) =>
    Object.fromEntries(
      Array.from({ length: size }, (_, i) => [
        `server/polls/${i}.ts`,
        `import type { T } from './${(i + 1) % size}.ts';`,
      ]),
    );
  const circles = (size: number) => largeCircles(new Map(Object.entries(ring(size))));
  expect(circles(6)).toEqual([`More than 5 files need each other: ${Object.keys(ring(6)).join(', ')}`]);
  expect(circles(5)).toEqual([]);
});

it('the check refuses two folders of the app that need each other, also by what is loaded on use', () => {
  const circle = {
    'web/polls/page.tsx': `import { a } from '../timeline/post-list.tsx';`,
    'web/timeline/post-list.tsx': `const Polls = lazy(() => import('../polls/page.tsx'));`,
  };
  expect(check(circle)).toEqual(['These folders need each other: web/polls, web/timeline']);
  expect(
    check({ ...circle, 'web/timeline/post-list.tsx': `import { Page } from '../app/page.tsx';` }),
  ).toEqual([]);
});

it('the check refuses the app a file of the contract that needs zod, also by way of another one, but not in types', () => {
  const contract = {
    'contract/values.ts': `import { z } from 'zod';`,
    'contract/live.ts': `import { Id } from './values.ts';`,
  };
  const live = (what: string) => ({ 'web/app/live.ts': `import ${what} from '../../contract/live.ts';` });
  expect(check({ ...contract, ...live('{ type LiveEvents, postsPerStream }') })).toEqual([
    'web/app/live.ts must not import contract/live.ts: the browser would load zod',
  ]);
  expect(check({ ...contract, ...live('type { LiveEvents }') })).toEqual([]);
});

it('the check refuses application code to a migration', () => {
  const source = `import { tagKey } from '../../../contract/tag-name.ts';`;
  expect(check({ 'server/db/migrations/0099-polls.ts': source })).toHaveLength(1);
});
