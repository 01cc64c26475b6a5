import type { Page } from '@playwright/test';
import { type RouteName, routes } from '../../web/app/routes.ts';
import { publishNotes, setAbout, setDefaultTags } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Properties of windows that TypeScript does not know yet. */
type TrustedTypes = { trustedTypes: { createPolicy(name: string, rules: object): unknown } };

/** The content policy of our pages, with Trusted Types. fixtures.ts checks that no journey violates it. */

const everything = `A [link](https://example.com) and a note[^1].

![A picture](/icon-192.png)

\`\`\`ts
const answer = 42;
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

- [x] done

[^1]: The note.`;

/** An existing address for every route. A route without one does not compile. */
async function addresses(admin: Page): Promise<Record<RouteName, string>> {
  const { post } = await callFrom(admin, 'createPost', {
    type: 'essay',
    title: 'Everything',
    description: 'That a post can hold.',
    content: everything,
    tags: ['rivers'],
    isDraft: false,
  });
  await callFrom(admin, 'addComment', {
    postId: post.id,
    content: 'See https://example.com',
    key: 'k'.repeat(32),
  });
  const { made } = await callFrom(admin, 'createInvitations', { tags: [], for: { uses: 3, name: 'Choir' } });
  const { href } = new URL(made[0]?.link ?? '');
  return {
    timeline: routes.timeline.href(),
    post: routes.post.href({ postId: post.id }, '#comments'),
    tag: routes.tag.href({ tag: 'rivers' }),
    search: routes.search.href('?q=rivers'),
    archive: routes.archive.href(),
    profile: routes.profile.href(),
    login: routes.login.href(),
    loginCode: routes.loginCode.href(),
    signup: routes.signup.href(),
    signInLink: routes.signInLink.href('?token=none'),
    account: routes.account.href(),
    forgotPassword: routes.forgotPassword.href(),
    resetPassword: routes.resetPassword.href('?token=none'),
    confirm: routes.confirm.href('?token=none'),
    invite: href,
    unsubscribe: routes.unsubscribe.href('?token=none'),
    setup: routes.setup.href('?token=none'),
    users: routes.users.href(),
    posts: routes.posts.href(),
    managedTags: routes.managedTags.href(),
    reportedComments: routes.reportedComments.href(),
    invitations: routes.invitations.href(),
    settings: routes.settings.href(),
    mail: routes.mail.href(),
    webhooks: routes.webhooks.href(),
    history: routes.history.href(),
    backups: routes.backups.href(),
    system: routes.system.href(),
    transfers: routes.transfers.href(),
    newPost: routes.newPost.href(),
    editPost: routes.editPost.href({ postId: post.id }),
  };
}

for (const kind of ['visitor', 'member', 'admin'] as const) {
  test(`no page that a ${kind} opens does what its content policy forbids`, async ({
    site,
    page,
    people,
    violations,
    allowedErrors,
  }) => {
    // Links that are no longer valid, and pages that a visitor may not see.
    allowedErrors.push(/40[134]/);
    await people.admin(page);
    await publishNotes(page, ['Of *bread*.', 'bread']);
    await setAbout(page, 'I write about **rivers**.');
    const all = await addresses(page);
    setDefaultTags(site, 'rivers', 'bread');
    const viewer = await people.open(kind);
    for (const address of Object.values(all)) {
      await viewer.goto(address);
      await expect(viewer.getByRole('main').first()).toBeVisible();
      const editor = viewer.locator('.cm-content');
      if (kind === 'admin' && [all.newPost, all.editPost].includes(address)) await editor.waitFor();
      if (kind !== 'visitor' && address === all.post) await viewer.locator('.comment').waitFor();
    }
    expect(violations).toEqual([]);
  });
}

test('injected code cannot turn text into elements or scripts, and the browser reports its attempts to the server', async ({
  site,
  page,
  people,
  violations,
  allowedErrors,
}) => {
  allowedErrors.push(/Trusted|content security policy/i);
  await people.admin(page);
  await publishNotes(page, ['Of bread.']);
  for (const path of ['/', '/admin/posts']) {
    await page.goto(path);
    const outcomes = await page.evaluate(() => {
      const html = '<img src="x" onerror="document.title=1">';
      const tries: Record<string, () => unknown> = {
        innerHTML: () => {
          document.body.innerHTML = html;
        },
        outerHTML: () => {
          document.body.outerHTML = html;
        },
        insertAdjacentHTML: () => document.body.insertAdjacentHTML('beforeend', html),
        'document.write': () => document.write(html),
        srcdoc: () => {
          document.createElement('iframe').srcdoc = html;
        },
        'parsed as a document': () => new DOMParser().parseFromString(html, 'text/html'),
        'text of a script': () => {
          document.createElement('script').text = 'document.title=1';
        },
        'address of a script': () => {
          document.createElement('script').src = '/assets/x.js';
        },
        'a policy of its own': () =>
          (window as typeof window & TrustedTypes).trustedTypes.createPolicy('coterie-too', {
            createHTML: (text: string) => text,
          }),
      };
      return Object.entries(tries).map(([name, attempt]) => {
        try {
          attempt();
          return `${name}: done`;
        } catch (error) {
          return `${name}: ${error instanceof Error ? error.name : error}`;
        }
      });
    });
    expect(outcomes.filter(outcome => !/: TypeError$/.test(outcome))).toEqual([]);
    expect(outcomes).toHaveLength(9);
    await expect(page.getByRole('main')).toBeVisible();
    await expect.poll(() => violations.length).toBe(9);
    violations.length = 0;
  }
  await expect.poll(() => site.output).toContain('require-trusted-types-for');
  await expect.poll(() => site.output).toContain('/admin/posts');
});
