import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import type { Identity } from '../../server/access/viewer.ts';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { setAdmin } from '../../server/accounts/members/roles.ts';
import { endTokens } from '../../server/accounts/sessions/end-access.ts';
import { Sessions } from '../../server/accounts/sessions/sessions.ts';
import { digestOf } from '../../server/base/secrets.ts';
import { internalInvocation, invoke } from '../../server/operations.ts';
import { describeEngines } from '../support/engines.ts';
import { listenOn } from '../support/held-request.ts';
import { bucketPath, multipart, objectPath } from '../support/multipart.ts';
import { post, type Site } from '../support/site.ts';
import { start, step, upload } from '../support/storage.ts';
import { type Actor, inputs, openScene, password, type Scene } from './held-rights-scene.ts';

/**
 * Rights are asked when they are used, not when a request begins: every operation and every step of an upload
 * is begun by somebody who may, and ended after they have lost the right.
 */

const names = (Object.keys(inputs) as OperationName[]).filter(name => inputs[name] !== null);

/** After these their caller has no session any more, or nothing to do something to. */
const ending = new Set<OperationName>([
  'changePassword',
  'endSession',
  'signOutEverywhere',
  'deleteAccount',
  'deleteComment',
  'deletePost',
  'deleteTag',
]);

/** Sends a mail to the caller's address at once, and writes nothing. */
const testMail: OperationName = 'sendTestMail';

/** The ways in which somebody loses a right; the last one with a token for programs. */
const losses: Record<string, (s: Site, actor: Actor) => Promise<unknown>> = {
  'is denied': async (s, { id }) => {
    await setAdmin(s.deps, id, false);
    await denyUser(s.deps, id);
  },
  'signs out everywhere': (s, actor) => s.call(actor, 'signOutEverywhere', {}),
  'has a new password set': async (s, { id }) => {
    const expires_at = s.deps.clock() + 60_000;
    const link = { digest: digestOf(id), user_id: id, email: '', purpose: 'reset' as const, expires_at };
    await s.deps.db.insertInto('email_links').values(link).execute();
    await s.call(null, 'resetPassword', { token: id, password: 'another1' });
  },
  'is an admin no longer': (s, { id }) => setAdmin(s.deps, id, false),
  'revokes the token': (s, { id }) => endTokens(s.deps.db, s.deps, id),
};

const byToken = 'revokes the token';

const demoted = 'is an admin no longer';

/** Everything that the site holds, but for the count of tries. */
async function contentOf({ deps }: Site): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const { name } of await deps.db.introspection.getTables()) {
    // What is counted for limits, and how SQLite keeps its indexes for search.
    if (name === 'attempts' || /^(post|user)_search/.test(name)) continue;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(deps.db);
    content[name] = rows.map(row => JSON.stringify(row)).sort();
  }
  for (const folder of ['uploads', 'files', 'mail']) {
    const path = join(deps.config.dataDir, folder);
    const files = await readdir(path).catch(() => []);
    const sizes = await Promise.all(
      files.map(async file => `${file} ${(await stat(join(path, file))).size}`),
    );
    // An upload that was begun and holds nothing is nothing.
    content[`${folder}/`] = sizes.filter(line => !line.endsWith(' 0')).sort();
  }
  return content;
}

/** Everything that decides what people may do, and the length of the history of rights. */
async function rightsAndHistory({ deps: { db } }: Site): Promise<{ rights: string; entries: number }> {
  const rows = await Promise.all([
    db.selectFrom('users').select(['id', 'email', 'status', 'is_admin', 'is_author']).orderBy('id').execute(),
    db.selectFrom('sign_in_methods').select(['user_id', 'password']).orderBy('id').execute(),
    db.selectFrom('approved_tags').selectAll().orderBy('user_id').orderBy('tag_id').execute(),
    db.selectFrom('default_tags').selectAll().orderBy('tag_id').execute(),
    db.selectFrom('tags').selectAll().orderBy('id').execute(),
    db.selectFrom('access_tokens').select(['id', 'name', 'expires_at']).orderBy('id').execute(),
    db.selectFrom('sessions').select('id').orderBy('id').execute(),
    db.selectFrom('second_factors').select(['user_id', 'secret']).orderBy('user_id').execute(),
    db.selectFrom('recovery_codes').selectAll().orderBy('digest').execute(),
    db.selectFrom('passkeys').select(['id', 'user_id']).orderBy('id').execute(),
  ]);
  const history = await db.selectFrom('history').select('id').execute();
  return { rights: JSON.stringify(rows), entries: history.length };
}

const hashOf = async (s: Site) => await s.deps.hashing.hash(password);

const errorCode = (error: unknown) => (error instanceof AppError ? error.code : String(error));

function credentialOf({ token, cookie }: Actor, loss: string): Record<string, string> {
  return loss === byToken ? { authorization: `Bearer ${token}` } : { cookie };
}

/**
 * Every call that somebody with an account could make, by an admin where it takes one; the right to it is
 * lost by `loss`.
 */
async function openCalls(s: Site, loss: string) {
  const admin = await s.admin();
  const hash = await hashOf(s);
  const byAdmin = await openScene(s, admin, true, hash);
  const byMember = await openScene(s, admin, false, hash);
  const calls: { name: OperationName; actor: Actor; input: unknown }[] = [];
  for (const name of names) {
    const { for: caller, scope }: Operation = operations[name];
    const isAdmins = caller === 'admin' || caller === 'author';
    // Who is an admin no longer may do what members do; a token decides about no account.
    if (loss === demoted ? !isAdmins : loss === byToken && scope === 'none') continue;
    const scene = isAdmins ? byAdmin : byMember;
    calls.push({ name, actor: scene.actor, input: await inputs[name]?.(scene) });
  }
  return { calls, actors: loss === demoted ? [byAdmin.actor] : [byAdmin.actor, byMember.actor] };
}

type Step = { path: string; method: string; headers: Record<string, string>; body: Buffer };

/** The next step of an upload whose first ten bytes have been sent. */
const nextStep = (command: string) => async (s: Site, actor: Actor) => {
  const url = await start(s, actor, `posts/${command}.bin`, 1_010);
  await step(s, actor, url, 'upload', { offset: 0, body: 'x'.repeat(10) });
  const { pathname, search } = new URL(url);
  return {
    path: pathname + search,
    method: 'POST',
    headers: { 'x-goog-upload-command': command, 'x-goog-upload-offset': '10' },
    body: Buffer.alloc(1_000, 'y'),
  };
};

/** Every request of the storage protocol that has a body. */
const steps: Record<string, (s: Site, actor: Actor) => Promise<Step>> = {
  'an upload in one request': async () => {
    const { headers, body } = multipart('x'.repeat(1_000));
    return {
      path: bucketPath('posts/late.bin'),
      method: 'POST',
      headers: headers as Record<string, string>,
      body: body as Buffer,
    };
  },
  'the beginning of an upload': async () => ({
    path: bucketPath('posts/begun.bin'),
    method: 'POST',
    headers: { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' },
    body: Buffer.from('{"contentType": "text/plain"}'),
  }),
  'a step of an upload': nextStep('upload'),
  'the last step of an upload': nextStep('upload, finalize'),
  'a change of metadata': async (s, actor) => ({
    path: objectPath((await upload(s, actor, `posts/${actor.id}.bin`, 'bytes')).name),
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"metadata": {"late": "yes"}}'),
  }),
};

describeEngines(({ site }) => {
  it.each(Object.keys(losses))(
    'a call whose body is still coming when its caller %s gets nothing and writes nothing',
    async loss => {
      const s = await site();
      const listening = await listenOn(s);
      try {
        const { calls, actors } = await openCalls(s, loss);
        const held = await Promise.all(
          calls.map(async ({ name, actor, input }) => ({
            name,
            input,
            request: await listening.hold(`/api/${name}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json', ...credentialOf(actor, loss) },
              body: Buffer.from(JSON.stringify({ data: input })),
            }),
          })),
        );
        for (const actor of actors) await losses[loss]?.(s, actor);
        const before = await contentOf(s);
        for (const { name, input, request } of held) {
          const { status, text } = await request.finish();
          if (operations[name].for === 'anyone' && loss !== byToken) {
            // What a visitor is told; an account that is only denied still has its name.
            if (name === 'getViewer') continue;
            expect([name, text]).toEqual([name, (await post(s, name, input)).text]);
          } else {
            expect([name, status === 401 || status === 403, text]).toEqual([name, true, text]);
          }
        }
        expect(await contentOf(s)).toEqual(before);
      } finally {
        await listening.close();
      }
    },
  );

  it.each(Object.keys(losses))(
    'an operation that is under way when its caller %s writes nothing',
    async loss => {
      const s = await site();
      const { calls, actors } = await openCalls(s, loss);
      const underWay: { name: OperationName; run: () => Promise<unknown> }[] = [];
      for (const { name, actor, input } of calls) {
        const requestHeaders = new Headers(credentialOf(actor, loss));
        const who: Identity = await new Sessions(s.deps).identify(requestHeaders, new Headers());
        const invocation = internalInvocation(s.deps, who, { requestHeaders });
        if (name !== testMail) underWay.push({ name, run: () => invoke(name, input as never, invocation) });
      }
      for (const actor of actors) await losses[loss]?.(s, actor);
      const before = await contentOf(s);
      for (const { name, run } of underWay) {
        const code = await run().then(() => 'done', errorCode);
        expect([name, code]).toEqual([
          name,
          expect.stringMatching(/^(done|unauthenticated|permission-denied|aborted|invalid-argument)$/),
        ]);
      }
      expect(await contentOf(s)).toEqual(before);
    },
  );

  it('every operation that asks for rights succeeds for a caller who keeps them, and changes of rights are in the history', async () => {
    const s = await site();
    const [admin, hash] = [await s.admin(), await hashOf(s)];
    const scenes = new Map<boolean, Scene>();
    for (const name of names) {
      const isAdmins = operations[name].for === 'admin' || operations[name].for === 'author';
      const scene = scenes.get(isAdmins) ?? (await openScene(s, admin, isAdmins, hash));
      const input = (await inputs[name]?.(scene)) as never;
      const before = await rightsAndHistory(s);
      await s.call(scene.actor, name, input);
      const after = await rightsAndHistory(s);
      expect([name, after.entries > before.entries || after.rights === before.rights]).toEqual([name, true]);
      if (ending.has(name)) scenes.delete(isAdmins);
      else scenes.set(isAdmins, scene);
    }
  });

  it.each(Object.keys(losses))(
    'nothing of a file whose bytes are still coming when its sender %s is stored',
    async loss => {
      const s = await site();
      const listening = await listenOn(s);
      try {
        const { actor } = await openScene(s, await s.admin(), true, await hashOf(s));
        const prepared = await Promise.all(
          Object.entries(steps).map(async ([what, prepare]) => ({ what, ...(await prepare(s, actor)) })),
        );
        const stored = async () => {
          const { files, 'files/': bytes, 'uploads/': unfinished } = await contentOf(s);
          return { files, bytes, unfinished };
        };
        const before = await stored();
        const held = await Promise.all(
          prepared.map(async ({ what, path, method, headers, body }) => ({
            what,
            request: await listening.hold(path, {
              method,
              headers: { ...headers, ...credentialOf(actor, loss) },
              body,
            }),
          })),
        );
        await losses[loss]?.(s, actor);
        for (const { what, request } of held) {
          const { status } = await request.finish();
          expect([what, status === 401 || status === 403, status]).toEqual([what, true, status]);
        }
        expect(await stored()).toEqual(before);
      } finally {
        await listening.close();
      }
    },
  );
});
