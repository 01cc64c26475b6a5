import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deliverDue } from '../../server/mail/deliver.ts';
import { piecesOf } from '../../web/comments/linked-text.tsx';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { changeUser } from '../support/rows.ts';

/** Text that people wrote, where it could be taken for something else. */

describeEngines(({ site }) => {
  it('29. the site escapes all names that people choose, in pages, their state, feed, mail and errors', async () => {
    const s = await site();
    const nasty = '</script><img src=x onerror=alert(1)>\u2028]]>&"\'';
    const admin = await s.admin();
    const [postId] = await publish(
      s,
      admin,
      essay({ title: nasty, description: nasty }),
      shortPost('x', ['<b>tag"']),
    );
    await s.setDefaultTags(['<b>tag"']);
    await changeUser(s, admin.id, { name: '<i>"x"</i>' });
    const member = await s.member();
    await s.call(member, 'addComment', { postId: postId ?? '', content: nasty });
    const paths = [
      '/',
      `/post/${postId}`,
      '/profile',
      '/admin',
      '/admin/posts',
      '/admin/tags',
      '/account',
      '/tags/%3Cb%3Etag%22',
    ];
    for (const path of [
      ...paths,
      '/tags/%3C%2Fscript%3E%3Cimg%20src%3Dx%3E',
      '/login?next=/%22%3E%3Cimg%20src%3Dx%3E',
    ]) {
      const page = await (await s.request(path, admin)).text();
      expect([path, /<img src=x|<b>tag|<i>"x"/.exec(page)]).toEqual([path, null]);
      // One script element with JSON in it, and nothing that ends it early.
      const state = /<script type="application\/json" id="state">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}';
      expect([path, /[<\u2028\u2029]/.test(state), typeof JSON.parse(state)]).toEqual([
        path,
        false,
        'object',
      ]);
    }
    const feed = await (await s.request('/feed.xml')).text();
    expect(feed).not.toMatch(/<img|<b>tag/);
    expect(feed.match(/<entry>/g)).toHaveLength(2);
    // What was published before is not what this is about.
    await s.deps.db.deleteFrom('announcements').execute();
    await s.deps.db.deleteFrom('mails').execute();
    await s.call(member, 'setSubscription', { subscribed: true });
    await publish(
      s,
      admin,
      essay({ title: nasty, description: nasty, content: `Words <i onclick=x>${nasty}` }),
    );
    await deliverDue(s.deps);
    const folder = join(s.config.dataDir, 'mail');
    const [file = ''] = await readdir(folder);
    const mail = await readFile(join(folder, file), 'utf8');
    const html = mail.slice(mail.search(/content-type: text\/html/i));
    expect(html).toMatch(/&lt;\/script&gt;/);
    expect(html).not.toMatch(/<img|onclick|<\/script/);
  });
});

it('28. the site examines each character of an address once, also in one that is a hundred times as long as a comment', () => {
  const address = `https://a.example/${'(.)'.repeat(150_000)}`;
  const found = `${address}${').'.repeat(150_000)}`;
  // Where the work grew with the square of the length, this would take hours.
  expect(piecesOf(`${found} `)[0]).toEqual({ text: address, href: address });
});
