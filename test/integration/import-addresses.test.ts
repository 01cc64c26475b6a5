import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { dayOneSource } from '../../server/moving/import/dayone/source.ts';
import type { Source } from '../../server/moving/import/draft.ts';
import { firebaseSource } from '../../server/moving/import/firebase/source.ts';
import { ghostSource } from '../../server/moving/import/ghost/source.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { mastodonSource } from '../../server/moving/import/mastodon/source.ts';
import { wordpressSource } from '../../server/moving/import/wordpress/source.ts';
import { describeEngines } from '../support/engines.ts';
import { importAll } from '../support/imports.ts';
import { listen } from '../support/listen.ts';
import type { Site } from '../support/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wordpressExport } from '../support/wordpress-export.ts';

/* What the texts and people of an export could lead an import to: addresses that it fetches, files that it reads, accounts of others. */

const { at, write: writeAll } = temporaryFolder();

/** Writes a file. Returns its path. */
async function write(path: string, content: string | Buffer): Promise<string> {
  await writeAll({ [path]: content });
  return at(path);
}

const ghostOf = (tables: object) => JSON.stringify({ db: [{ data: tables }] });

const run = (site: Site, source: Source) => importAll(site.deps, source);

/** Each source with one post that shows what lies at these addresses. */
const showing: Record<string, (addresses: readonly string[]) => Promise<Source>> = {
  Markdown: async addresses => {
    const pictures = addresses.map(address => `![A picture](<${address}>)`);
    await write('blog/post.md', `---\ntitle: One\n---\n\nWords.\n\n${pictures.join('\n\n')}`);
    return await markdownSource(at('blog'), 'UTC');
  },
  WordPress: async addresses => {
    const content = `<p>Words.</p>${addresses.map(address => `<img src="${address}">`).join('')}`;
    const attached = addresses.map((attachmentUrl, index) => ({
      id: 10 + index,
      type: 'attachment',
      parent: 1,
      attachmentUrl,
    }));
    await write('media/2020/05/none.txt', '');
    const files = [
      await write('export.xml', wordpressExport([{ id: 1, title: 'One', content }, ...attached])),
    ];
    return await wordpressSource({ files, media: at('media'), timeZone: 'UTC' });
  },
  Ghost: async addresses => {
    const html = `<p>Words.</p>${addresses.map(address => `<img src="${address}">`).join('')}`;
    const row = {
      id: '1',
      slug: 'one',
      title: 'One',
      type: 'post',
      status: 'published',
      visibility: 'public',
      html,
      feature_image: addresses[0],
    };
    await write('content/images/none.txt', '');
    return await ghostSource({
      file: await write('ghost.json', ghostOf({ posts: [row] })),
      images: at('content'),
    });
  },
  Mastodon: async addresses => {
    const me = 'https://social.example/users/mina';
    const note = {
      id: `${me}/statuses/1`,
      type: 'Note',
      published: '2022-11-01T10:00:00Z',
      content: '<p>Words.</p>',
      to: ['https://www.w3.org/ns/activitystreams#Public'],
      cc: [],
      attachment: addresses.map(url => ({ mediaType: 'image/png', url, name: 'A picture' })),
    };
    await write('mastodon/outbox.json', JSON.stringify({ orderedItems: [{ type: 'Create', object: note }] }));
    return await mastodonSource(at('mastodon'));
  },
  'Day One': async addresses => {
    const text = `Words.\n\n${addresses.map(address => `![](${address})`).join('\n\n')}`;
    const photos = [{ identifier: 'P1', md5: '../../secret', type: 'png' }];
    const entry = {
      uuid: 'AA11',
      text: `${text} ![](dayone-moment://P1)`,
      creationDate: '2021-03-04T05:06:07Z',
      photos,
    };
    await write('dayone/Journal.json', JSON.stringify({ entries: [entry] }));
    return await dayOneSource(at('dayone'), 'UTC');
  },
  Firebase: async addresses => {
    const content = `Words.\n\n${addresses.map(address => `![A picture](<${address}>)`).join('\n\n')}`;
    const attachments = addresses.map(url => ({ url, type: 'image', name: 'a.png' }));
    const fields = {
      type: 'essay',
      title: 'One',
      description: 'One',
      content,
      tags: [],
      isDraft: false,
      attachments,
      likes: 0,
    };
    const time = { _seconds: 1_577_880_000, _nanoseconds: 0 };
    await write(
      'project/dump.json',
      JSON.stringify({ posts: { post1: { ...fields, createdAt: time, updatedAt: time } } }),
    );
    await write('bucket/none.txt', '');
    return await firebaseSource({ folder: at('project'), storage: at('bucket') });
  },
};

describeEngines(({ site }) => {
  it('an address in an imported text is neither fetched nor read from this machine, for any source', {
    timeout: 120_000,
  }, async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('bytes');
    });
    const port = await listen(server);
    const secret = await write('secret.png', 'secret');
    const addresses = [
      `http://127.0.0.1:${port}/a.png`,
      `http://localhost:${port}/b.png`,
      `//127.0.0.1:${port}/c.png`,
      `file://${secret}`,
      secret,
      '../secret.png',
      '..%2Fsecret.png',
      'file:///etc/passwd',
    ];
    try {
      for (const [name, open] of Object.entries(showing)) {
        const s = await site();
        const items = await run(s, await open(addresses));
        const posts = items.filter(item => item.kind === 'post').map(({ outcome }) => outcome);
        expect([name, posts]).toEqual([name, ['created']]);
        const files = await s.deps.db.selectFrom('files').select('name').execute();
        expect([name, files]).toEqual([name, []]);
      }
      expect(asked).toEqual([]);
    } finally {
      server.close();
    }
  });

  it('an address in an imported text does not give anybody the account of another with an address in another case', async () => {
    const people: Record<string, () => Promise<Source>> = {
      WordPress: async () =>
        await wordpressSource({
          files: [await write('export.xml', wordpressExport([{ id: 1, title: 'One' }]))],
          users: await write(
            'users.csv',
            'ID,user_login,user_email,user_pass,display_name,roles\n1,boss,MINA@Example.com,5f4dcc3b5aa765d61d8327deb882cf99,Boss,administrator',
          ),
          timeZone: 'UTC',
        }),
      Ghost: async () =>
        await ghostSource({
          file: await write(
            'ghost.json',
            ghostOf({
              posts: [
                { id: '1', slug: 'one', title: 'One', type: 'post', status: 'published', html: '<p>One</p>' },
              ],
              users: [{ id: 'u1', name: 'Boss', slug: 'boss', email: 'MINA@Example.com', status: 'active' }],
              roles: [{ id: 'r1', name: 'Owner' }],
              roles_users: [{ user_id: 'u1', role_id: 'r1' }],
            }),
          ),
          members: await write('members.csv', 'id,email,name\nm1,Mina@EXAMPLE.com,Mina'),
        }),
    };
    for (const [name, open] of Object.entries(people)) {
      const s = await site();
      // An admin has decided about it: one that waits and was never confirmed may be anybody's
      // (unclaimed-accounts.test.ts).
      const mina = await s.member([], 'mina');
      const before = await s.deps.db.selectFrom('users').selectAll().where('id', '=', mina.id).execute();
      expect(before).toMatchObject([{ email: 'mina@example.com', status: 'approved' }]);
      await run(s, await open());
      const after = await s.deps.db.selectFrom('users').selectAll().where('id', '=', mina.id).execute();
      expect([name, after]).toEqual([name, before]);
      const same = await s.deps.db
        .selectFrom('users')
        .select('id')
        .where('email', 'like', '%xample.com')
        .execute();
      expect(same.map(({ id }) => id)).toContain(mina.id);
      expect([
        name,
        await s.deps.db.selectFrom('users').select('email').where('username', '=', 'boss').execute(),
      ]).toEqual([name, []]);
    }
  });
});
