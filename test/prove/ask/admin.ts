import { commentLists } from '../../../contract/comments.ts';
import {
  approvalEffectAnswer,
  audienceAnswer,
  defaultsEffectAnswer,
  readersAnswer,
  requestsAnswer,
  type UserList,
  usersAnswer,
} from '../model/account-answers.ts';
import { reportedAnswer } from '../model/comment-answers.ts';
import { AnyOrder, pageOf } from '../model/lists.ts';
import { managedPosts, managedTagsAnswer } from '../model/post-answers.ts';
import { otherAuthorOf } from '../model/rule.ts';
import { settingsOf } from '../model/site-acts.ts';
import { existing, tagWord, type World } from '../model/world.ts';
import { call } from './call.ts';
import type { Question } from './question.ts';

export function adminCalls(world: World): Question[] {
  const lists: UserList[] = ['pending', 'approved', 'denied', 'admins'];
  const tags = Object.keys(world.tags);
  const words = (names: readonly string[]) => names.map(name => tagWord(world, name));
  const [one = [], two = []] = [tags.slice(0, 1), tags.slice(1, 3)];
  const account = existing(world.accounts).at(-1);
  return [
    ...lists.map(list => call('getUsers', { list }, 'admin', at => usersAnswer(at, list, ''))),
    ...(['all', 'published', 'drafts'] as const).map(filter =>
      call('listPosts', { filter }, 'author', (at, viewer) => {
        const posts = managedPosts(at, viewer).filter(
          post => filter === 'all' || (post.publishedAt === null) === (filter === 'drafts'),
        );
        const { items, hasNext } = pageOf(posts, 1);
        const shown = items.map(post => ({
          id: post.id,
          title: post.title,
          authorUsername: otherAuthorOf(at, viewer, post),
        }));
        return { result: { posts: shown, hasNextPage: hasNext } };
      }),
    ),
    call('getManagedTags', {}, 'admin', managedTagsAnswer),
    call('getNewPostTags', {}, 'author', () => ({ result: { tags: [], tagIds: [] } })),
    call('getDefaultTags', {}, 'admin', at => ({
      result: { tags: at.defaults.map(tag => tagWord(at, tag)).sort() },
    })),
    call('describeAudience', { tags: words(two) }, 'author', (at, viewer) => {
      const own = managedPosts(at, viewer).flatMap(post => post.tags);
      const isKnown = (tag: string) => viewer.tags.has(tag) || own.includes(tag);
      if (viewer.role === 'author' && !two.every(isKnown)) return { refusal: 'invalid-argument' };
      return audienceAnswer(at, two);
    }),
    call('listReaders', { tags: words(two) }, 'admin', at => readersAnswer(at, two)),
    call('previewDefaultTags', { tags: words(one) }, 'admin', at => defaultsEffectAnswer(at, one)),
    ...(account === undefined
      ? []
      : [
          call('previewApprovedTags', { userId: account.id, tags: words(two) }, 'admin', at => {
            const current = at.accounts[account.name];
            if (current === undefined || current.isGone) return { refusal: 'not-found' };
            return approvalEffectAnswer(at, current, two);
          }),
        ]),
    ...commentLists.map(list =>
      call('listReportedComments', { list }, 'admin', at => reportedAnswer(at, list)),
    ),
    call('listAccessRequests', {}, 'admin', at => requestsAnswer(at)),
    call('getWebhooks', {}, 'admin', at => {
      const there = existing(at.webhooks).map(({ id, label: name }) => ({ id, name }));
      return { result: { webhooks: new AnyOrder(there) } };
    }),
    call('getMailState', {}, 'admin', () => ({ result: {} })),
    call('getBackupState', {}, 'admin', () => ({ result: {} })),
    call('getSystemState', {}, 'admin', () => ({ result: {} })),
    call('getFirstSteps', {}, 'admin', () => ({ result: {} })),
    call('getSiteSettings', {}, 'admin', at => ({
      result: { version: at.settings.version, values: settingsOf(at) },
    })),
    call('getHistory', {}, 'admin', () => ({ result: {} })),
  ];
}
