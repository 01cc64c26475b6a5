import { receiveMail } from '../../server/incoming-mail/receive.ts';
import { withSmtp } from './mailing-site.ts';
import type { Person, Site } from './site.ts';

/** Hands the site a mail of Lucy's with these headers, some of which may say otherwise. */
export async function receiveFromLucy(deps: Site['deps'], fields: Record<string, string>, body: string) {
  const headers = { From: 'Lucy <lucy@example.com>', 'Message-ID': '<1@phone.example>', ...fields };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const mail = `${lines.join('\r\n')}\r\n\r\n${body.replaceAll(/\r?\n/g, '\r\n')}\r\n`;
  return await receiveMail(deps, Buffer.from(mail));
}

/** An author and what they mail to their address for posts. */
export async function postByMail(s: Site) {
  s.deps.config.mailReplyAddress = 'reply+{}@blog.example';
  const admin = await s.admin();
  const lucy = await s.member([], 'lucy');
  await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: true });
  const { deps, deliver } = await withSmtp(s);
  const make = async (publishes = false, as: Person = lucy) =>
    (await s.call(as, 'makePostAddress', { publishes })).email;
  const send = (to: string, fields: Record<string, string> = {}, body = 'They come from the hills.') =>
    receiveFromLucy(deps, { To: to, Subject: 'On rivers', ...fields }, body);
  const posts = async () => (await s.call(lucy, 'listPosts', {})).posts;
  return { admin, lucy, make, send, posts, told: deliver };
}
