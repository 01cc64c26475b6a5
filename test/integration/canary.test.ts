import { expect, it } from 'vitest';
import { type OperationName, operations } from '../../contract/operations.ts';
import { builtPages } from '../support/built-pages.ts';
import { describeEngines } from '../support/engines.ts';
import { LiveStream } from '../support/live.ts';
import { saveSettings } from '../support/save-settings.ts';
import { callOf } from '../support/site.ts';
import { addresses } from './canary-addresses.ts';
import { leaks, readable, withoutComments } from './canary-leaks.ts';
import { inputs } from './canary-questions.ts';
import { openScene, pastPosts, type Scene } from './canary-scene.ts';

/**
 * The canary matrix: every kind of viewer asks every surface for every post, and no answer may hold the
 * unique words of a post that the viewer may not read. A surface that this file does not know makes it fail.
 */

/** Nobody is logged in: a denial ends all sessions. */
const loggedOut = new Set(['visitor', 'denied', 'denied author']);

/**
 * A stream stays open: it is read up to what it says on opening, one event for the viewer and one for each
 * post.
 */
async function textOf(path: string, response: Response): Promise<string> {
  if (!path.startsWith('/live') || response.status !== 200) return await response.text();
  const stream = new LiveStream(response);
  const events = await stream.take(1 + path.split('post=').length - 1);
  await stream.close();
  return events.map(({ name, data }) => `event: ${name} ${JSON.stringify(data)}`).join('\n');
}

/** The same for everybody, whatever the site holds. */
const ofTheProgram = new Set(['/robots.txt', '/manifest.webmanifest', '/favicon.svg']);

type Ask = { path: string; init: RequestInit; asked: string };

/**
 * Every request of the matrix, once each: most surfaces name no post, and ask the same for all of them.
 * `isEveryForm`: also in the forms that differ in HTTP alone, of which no database knows.
 */
function asksFor(posts: Scene['posts'], isEveryForm: boolean): Ask[] {
  const accepted = isEveryForm ? ['*/*', 'text/event-stream'] : ['*/*'];
  const methods = isEveryForm ? ['GET', 'HEAD'] : ['GET'];
  const asks = new Map<string, Ask>();
  const add = (ask: Ask) => asks.set(JSON.stringify(ask), ask);
  for (const { id } of Object.values(posts)) {
    for (const operation of Object.keys(inputs) as OperationName[]) {
      for (const input of inputs[operation](id)) {
        const body = JSON.stringify({ data: input });
        for (const accept of accepted) {
          const headers = { 'content-type': 'application/json', accept };
          add({ path: `/api/${operation}`, init: { method: 'POST', headers, body }, asked: body });
        }
      }
    }
    for (const path of Object.values(addresses).flatMap(list => list(id))) {
      for (const method of methods) add({ path, init: { method }, asked: path });
    }
  }
  return [...asks.values()];
}

describeEngines(({ site, engine }) => {
  it('1, 2, 6, 9, 13, 14, 72. the site leaks nothing to anybody', async () => {
    const scene = await openScene(await site(await builtPages()));
    const found: string[] = [];
    const look = async (viewer: string, { path, init, asked }: Ask) => {
      const person = scene.people[viewer] ?? null;
      const response = await scene.site.request(path, person, { redirect: 'manual', ...init });
      const answer = `${await textOf(path, response)} ${JSON.stringify([...response.headers])}`;
      for (const word of leaks(scene, viewer, asked, answer))
        found.push(`${viewer}: ${path} ${asked} answered ${word}`);
      const cacheControl = response.headers.get('cache-control') ?? 'no-store';
      if (person !== null && /public/.test(cacheControl) && !ofTheProgram.has(path))
        found.push(`${viewer}: ${path} is public`);
      return { status: response.status, answer };
    };

    // What may be read is read: a matrix that sees nothing anywhere would prove nothing.
    for (const [viewer, names] of Object.entries(readable)) {
      const ask = { path: '/api/getOnThisDay', init: callOf({}), asked: '' };
      const past = await look(viewer, ask);
      expect({ viewer, names: pastPosts.filter(name => past.answer.includes(`titlepast${name}q`)) }).toEqual({
        viewer,
        names: loggedOut.has(viewer) ? [] : pastPosts.filter(name => names.includes(name)),
      });
      for (const [name, { id, words }] of Object.entries(scene.posts)) {
        const isReadable = names.includes(name);
        const mayComment = isReadable && !withoutComments.has(viewer);
        const page = await look(viewer, { path: `/post/${id}`, init: {}, asked: '' });
        const live = await look(viewer, { path: `/live?post=${id}`, init: {}, asked: '' });
        const comments = await scene.site.request(
          '/api/listComments',
          scene.people[viewer],
          callOf({ postId: id }),
        );
        expect({
          viewer,
          name,
          status: page.status,
          text: page.answer.includes(words[2] ?? ''),
          comments: (await comments.text()).includes(`comment${name}q`),
          live: live.answer.includes('event: state'),
        }).toEqual({
          viewer,
          name,
          status: isReadable ? 200 : name === 'draft' || name === 'ownDraft' ? 404 : 302,
          text: isReadable,
          comments: mayComment,
          live: mayComment,
        });
      }
    }
    // Everybody at once, as on a living site: also what one viewer's answer leaves in a cache is found this
    // way.
    const asks = asksFor(scene.posts, engine === 'sqlite');
    const queue = asks.flatMap(ask => Object.keys(readable).map(viewer => ({ viewer, ask })));
    const lane = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await look(next.viewer, next.ask);
      }
    };
    await Promise.all(Array.from({ length: 14 }, lane));
    expect(found).toEqual([]);

    // Where posts do not name their authors, nothing tells their accounts either.
    await saveSettings(scene.site, scene.people.admin ?? null, { namesAuthors: 'false' });
    for (const viewer of ['visitor', 'member with both tags']) {
      for (const ask of asks) {
        const { answer } = await look(viewer, ask);
        for (const id of scene.writers) {
          if (answer.includes(id)) found.push(`${viewer}: ${ask.path} ${ask.asked} answered ${id}`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  it('the canary matrix asks every operation and every route', async () => {
    const { app } = await site();
    expect(Object.keys(inputs).sort()).toEqual(Object.keys(operations).sort());
    const routes = app.routes
      .filter(route => route.handler.length < 2)
      .map(route => `${route.method} ${route.path}`);
    expect([...new Set(routes)].sort()).toEqual(Object.keys(addresses).sort());
  });
});

it('the canary matrix finds a leak that is planted', () => {
  const scene = { posts: { both: { id: 'x', words: ['secretword'] } }, managed: ['elsewhere'] };
  expect(leaks(scene, 'visitor', '', 'an elsewhere there')).toEqual(['elsewhere']);
  expect(leaks(scene, 'admin', '', 'an elsewhere there')).toEqual([]);
  expect(leaks(scene, 'visitor', '', 'a secretword here')).toEqual(['secretword']);
  expect(leaks(scene, 'admin', '', 'a secretword here')).toEqual([]);
});
