import { type APIRequestContext, request } from '@playwright/test';
import { addAccount, withDatabase } from '../../test/e2e/accounts.ts';
import type { RunningSite } from '../../test/e2e/site.ts';
import { callAs } from './author.ts';

const password = 'lockhouse';

type Person = { username: string; name: string; introduction: string; comment: string };

/** People with the longest names, or with names written from the right. */
const people: Person[] = [
  {
    username: 'WWWWWWWWWWWWWWWWWWWW',
    name: 'W'.repeat(25),
    introduction: 'W'.repeat(300),
    comment: `https://example.com/${'w'.repeat(400)}`,
  },
  {
    username: 'yael',
    name: 'יעל בן־דוד',
    introduction: 'אני גרה ליד התעלה, ואשמח לקרוא (Hollin Reach).',
    comment: 'המים עלו גם אצלנו: 2.10 m, and nobody noticed.\n\nהפעמון נשמע עד הגשר.',
  },
  {
    username: 'layla',
    name: 'ليلى الحدّاد',
    introduction: 'أسكن قرب القناة، وأحبّ القراءة.',
    comment: 'الماء يرتفع ببطء (see https://example.com) ولا أحد يلاحظ ذلك.',
  },
  {
    username: 'family_of_four',
    name: '👩‍👩‍👧‍👦🏳️‍🌈👩‍👩‍👧‍👦',
    introduction: '👋🏽'.repeat(40),
    comment: '🎉'.repeat(200),
  },
];

/**
 * Makes the accounts that are hardest to lay out. Each has all tags and comments on the post, and one of the
 * same name is pending. Thirty more members make a list of several pages.
 */
export async function fillHardPeople(
  site: RunningSite,
  author: APIRequestContext,
  postId: string,
): Promise<void> {
  const tags = (await callAs(author, 'getTags', {})).tags.map(tag => tag.name);
  for (const { username, name, introduction, comment } of people) {
    await addAccount(site, { username, name, password, tags });
    await addAccount(site, { username: `${username.slice(0, 19)}2`, name, password, status: 'pending' });
    withDatabase(site, db =>
      db.prepare('update users set introduction = ? where name = ?').run(introduction, name),
    );
    const as = await request.newContext({ baseURL: site.url });
    await callAs(as, 'signIn', { email: `${username}@example.com`, password });
    await callAs(as, 'addComment', { postId, content: comment });
    await as.dispose();
  }
  for (let number = 10; number < 40; number += 1) {
    await addAccount(site, { username: `reader_${number}`, name: `Reader ${number}`, password });
  }
}
