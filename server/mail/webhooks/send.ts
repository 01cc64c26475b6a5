import type { Selectable } from 'kysely';
import { moment } from '../../../contract/date.ts';
import type { WebhookEvent, WebhookFormat } from '../../../contract/webhook-names.ts';
import { refusalOf } from '../../access/posts.ts';
import { oldestProposals } from '../../access/proposals.ts';
import { oldestRequests } from '../../access/requests.ts';
import { currentVisitor } from '../../access/viewer.ts';
import { waitingUsers } from '../../access/waiting-users.ts';
import { askServer, isPublic } from '../../base/outgoing.ts';
import type { MailRow, Tables } from '../../db/tables.ts';
import { getPost } from '../../posts/read.ts';
import type { MailContext } from '../context.ts';
import { mailSite, pathOfAsked } from '../letter.ts';
import { NotNeeded } from '../not-needed.ts';
import { MailRefused } from '../transport.ts';
import { signatureHeaders, webhookSecret } from './signature.ts';

const idleMs = 5_000;
const wholeMs = 10_000;

type Webhook = Selectable<Tables['webhooks']>;
type SendContext = Pick<MailContext, 'config' | 'secret' | 'clock'>;

/** The name and the text of each event. The receiver may not be a reader, so no person is named. */
const words: Record<Exclude<WebhookEvent, 'post'>, { type: string; text: string }> = {
  waiting: { type: 'account.waiting', text: 'Somebody waits for approval' },
  asked: { type: 'request.made', text: 'A member asks the admins for something' },
  reported: { type: 'comment.reported', text: 'A comment was reported' },
  'backup-failed': { type: 'backup.failed', text: 'A backup failed' },
};

/**
 * Sends a webhook a message about an event, from the current state. Throws {@link NotNeeded}, and
 * {@link MailRefused} if it is to be sent later.
 */
export async function sendWebhook(deps: MailContext, row: MailRow): Promise<void> {
  const webhook = await deps.db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', row.webhook_id ?? '')
    .executeTakeFirst();
  if (webhook === undefined) throw new NotNeeded('The webhook no longer exists.');
  const { title: site, publicUrl } = await mailSite(deps);
  const happened = { site, timestamp: moment(row.created_at) };
  if (row.kind === 'post') {
    const post = await messageOfPost(deps, row.post_id ?? '');
    return await request(deps, webhook, row.id, { ...happened, ...post });
  }
  const event = row.kind as keyof typeof words;
  const path = await pathOf(deps, event);
  if (path === undefined) throw new NotNeeded('Nothing waits any more.');
  await request(deps, webhook, row.id, { ...happened, ...words[event], url: publicUrl + path });
}

/** Sends a test. Throws {@link MailRefused} with the reason if it is not accepted. */
export async function sendTest(
  deps: SendContext & Pick<MailContext, 'settings'>,
  webhook: Webhook,
  id: string,
): Promise<void> {
  const { title: site } = await deps.settings();
  const message = { type: 'test', text: 'This is a test', site, url: deps.config.publicUrl };
  await request(deps, webhook, id, { ...message, timestamp: moment(deps.clock()) });
}

/** What a visitor may see of a post. Throws {@link NotNeeded} if it is no longer published. */
async function messageOfPost(
  deps: MailContext,
  postId: string,
): Promise<Pick<WebhookMessage, 'type' | 'text' | 'url' | 'title'>> {
  const message = { type: 'post.published', url: `${deps.config.publicUrl}/post/${postId}` };
  const text = 'There is a new post';
  await deps.changes.caughtUp();
  try {
    const { title } = await getPost(deps, (await currentVisitor(deps)).viewer, postId);
    return title === null ? { ...message, text } : { ...message, text: `${text}: “${title}”`, title };
  } catch (error) {
    if (refusalOf(error) === 'not-found') throw new NotNeeded('The post is no longer published.');
    return { ...message, text };
  }
}

/** The page on which an admin handles an event; undefined if nothing waits there any more. */
async function pathOf(deps: MailContext, event: keyof typeof words): Promise<string | undefined> {
  const { db } = deps;
  switch (event) {
    case 'waiting':
      return (await waitingUsers(deps).select('id').limit(1).executeTakeFirst()) && '/admin';
    case 'asked':
      return pathOfAsked(await oldestRequests(deps, 1), await oldestProposals(db, 1));
    case 'reported': {
      const reports = db.selectFrom('comment_reports').select('comment_id').limit(1);
      return (await reports.executeTakeFirst()) && '/admin/comments';
    }
    case 'backup-failed':
      return '/admin/backups';
  }
}

async function request(
  { config, secret, clock }: SendContext,
  webhook: Webhook,
  id: string,
  message: WebhookMessage,
): Promise<void> {
  const { url, method, headers, body } = requestOf(webhook.format, webhook.url, id, message);
  const isAllowed = (address: string) => isPublic(address) || config.webhookNetworks.include(address);
  const signed = signatureHeaders(webhookSecret(secret, webhook.id), { id, body, now: clock() });
  const post = {
    method,
    headers: {
      ...headers,
      ...signed,
      'content-length': Buffer.byteLength(body),
      ...(webhook.token !== '' && { authorization: `Bearer ${webhook.token}` }),
    },
    body: Buffer.from(body),
  };
  const asking = { accept: '*/*', agent: 'Coterie', idleMs, wholeMs, isAllowed, post };
  const answer = await askServer(url, asking).catch((error: Error) => {
    throw new MailRefused('later', `The server cannot be asked: ${error.message}.`);
  });
  // The body of the answer is dropped: otherwise the secrets of an internal server could be read.
  answer.destroy();
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 299)
    throw new MailRefused('later', `The server answered ${statusCode}.`);
}

type WebhookMessage = {
  /** The event's name for programs. */
  type: string;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  site: string;
  text: string;
  /** The page about it. */
  url: string;
  /** The title, if everybody may read the post. */
  title?: string;
};

type Request = { url: URL; method: 'POST' | 'PUT'; headers: Record<string, string>; body: string };

const json = { 'content-type': 'application/json' };

/**
 * The request that a service expects. `id` is the same for each attempt, so that a service shows a message
 * once.
 */
function requestOf(format: WebhookFormat, address: string, id: string, message: WebhookMessage): Request {
  const { type, timestamp, ...data } = message;
  const url = new URL(address);
  const line = `${message.site}: ${message.text}\n${message.url}`;
  switch (format) {
    // https://docs.ntfy.sh/publish: the topic is in the address.
    case 'ntfy': {
      const headers = { title: encodedWord(message.site), click: message.url, 'content-type': 'text/plain' };
      return { url, method: 'POST', headers, body: message.text };
    }
    // https://core.telegram.org/bots/api#sendmessage: the bot and the chat are in the address.
    case 'telegram':
      return { url, method: 'POST', headers: json, body: JSON.stringify({ text: line }) };
    // https://spec.matrix.org/latest/client-server-api, "send": the room is in the address.
    case 'matrix': {
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/${id}`;
      return { url, method: 'PUT', headers: json, body: JSON.stringify({ msgtype: 'm.notice', body: line }) };
    }
    case 'json':
      return { url, method: 'POST', headers: json, body: JSON.stringify({ type, timestamp, data }) };
  }
}

/** A text encoded for a header (RFC 2047). */
function encodedWord(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}
