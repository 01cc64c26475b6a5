import { receiveMail } from '../../server/surfaces/incoming-mail/receive.ts';
import { withSmtp } from './mailing-site.ts';
import type { Person, Site } from './site.ts';

/** An author and what they mail to their address for posts. */
export async function postByMail(s: Site) {
  s.deps.config.mailReplyAddress = 'reply+{}@blog.example';
  const admin = await s.admin();
  const lucy = await s.member([], 'lucy');
  await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: true });
  const { deps, deliver } = await withSmtp(s);
  const make = async (publishes = false, as: Person = lucy) =>
    (await s.call(as, 'makePostAddress', { publishes })).email;
  const send = (to: string, fields: Record<string, string> = {}, body = 'They come from the hills.') => {
    const headers = {
      From: 'Lucy <lucy@example.com>',
      To: to,
      Subject: 'On rivers',
      'Message-ID': '<1@phone.example>',
      ...fields,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return receiveMail(
      deps,
      Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body.replaceAll('\n', '\r\n')}\r\n`),
    );
  };
  const posts = async () => (await s.call(lucy, 'listPosts', {})).posts;
  return { admin, lucy, make, send, posts, told: deliver };
}
