import { receiveMail } from '../../server/incoming-mail/receive.ts';
import type { Location } from '../support/site.ts';
import { findComment, findPost } from './find-lost.ts';
import { answerByMail, commentAt } from './model/comment-acts.ts';
import { postByMail } from './model/post-acts.ts';
import { textOf, wordsAt } from './model/post-words.ts';
import { emailOf, type World } from './model/world.ts';
import { asCommand } from './server.ts';
import type { DeedOf } from './steps.ts';

/**
 * Answers a mail about a post while the servers run, as `coterie mail receive` does. Returns these worlds as
 * they are after it, or what is wrong.
 */
export async function answeredOn(
  location: Location,
  worlds: readonly World[],
  step: DeedOf<'answerByMail'>,
): Promise<World[] | string> {
  const { at, who, post, from = who } = step;
  const [world] = worlds;
  const to = world?.accounts[who]?.replyTo?.[post];
  const writer = world?.accounts[from];
  if (to === undefined || writer === undefined) return [...worlds];
  const source = [
    `From: ${emailOf(writer)}`,
    `To: ${to}`,
    `Message-ID: <${at}@example.com>`,
    '',
    `A comment: ${commentAt(at)}.`,
  ];
  return await asCommand(location, async deps => {
    const received = await receiveMail(deps, Buffer.from(source.join('\r\n')));
    const told = (await findComment(deps.db, at)) ?? {};
    const after = structuredClone([...worlds]).filter(each => answerByMail(each, step, told) === received);
    return after.length > 0
      ? after
      : `an answer by mail of ${from} to the mail to ${who} became: ${received}`;
  });
}

/** Mails a post while the servers run. Returns these worlds as they are after it, or what is wrong. */
export async function postedOn(
  location: Location,
  worlds: readonly World[],
  step: DeedOf<'postByMail'>,
): Promise<World[] | string> {
  const { at, who, from = who } = step;
  const [world] = worlds;
  const to = world?.accounts[who]?.postEmail ?? '';
  const writer = world?.accounts[from];
  if (to === '' || writer === undefined) return [...worlds];
  const { title, description, ...text } = wordsAt(at, 'essay');
  const source = [
    `From: ${emailOf(writer)}`,
    `To: ${to}`,
    `Subject: ${title}`,
    `Message-ID: <post${at}@example.com>`,
    '',
    `${description}\n\n${textOf(text)}`,
  ];
  return await asCommand(location, async deps => {
    const received = await receiveMail(deps, Buffer.from(source.join('\r\n')));
    const told = (await findPost(deps.db, { at, type: 'essay' })) ?? {};
    const after = structuredClone([...worlds]).filter(
      each => postByMail(each, step, { to, ...told }) === received,
    );
    return after.length > 0
      ? after
      : `a post by mail of ${from} to the address of ${who} became: ${received}`;
  });
}
