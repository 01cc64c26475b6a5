import type { Told } from './model/act.ts';
import type { Asked } from './model/acts.ts';
import { labelOf } from './model/way-acts.ts';
import { tokenIn } from './place.ts';
import type { DeedOf } from './steps.ts';
import { type Answer, type Refused, resultOf } from './wire.ts';

/** The outcome of a step: the server's answer, and the values in it that only the server can know. */
export type Outcome = Refused | { result: unknown; told: Told };

export function outcomeOf(step: DeedOf<Asked>, answer: Answer): Outcome {
  if (step.do === 'deleteFile' && answer.status === 204) return { result: {}, told: {} };
  if ('upload' in step || ofFiles.has(step.do)) return ofStorage(answer);
  const read = resultOf(answer);
  if ('refusal' in read) return read;
  return { result: read.result, told: toldBy(step, read.result, answer) };
}

const ofFiles = new Set<string>(['upload', 'deleteFile', 'getDownload', 'beginUpload']);

/** The storage protocol reports a refusal by its status alone. */
function ofStorage({ status, headers, bytes }: Answer): Outcome {
  const codes: Record<number, string> = {
    400: 'invalid-argument',
    401: 'unauthenticated',
    403: 'permission-denied',
    404: 'not-found',
    409: 'aborted',
  };
  if (status !== 200) return { refusal: codes[status] ?? `${status} ${bytes}` };
  const result = JSON.parse(bytes.toString()) as { url?: string; downloadTokens?: string };
  const { url = '', downloadTokens: secret = '' } = result;
  const begun = headers['x-goog-upload-url'];
  const id = begun === undefined ? url.split('/')[2] : new URL(begun).searchParams.get('upload_id');
  return { result, told: { id: id ?? '', secret } };
}

type Results = {
  user?: { id: string } | null;
  post?: { id: string; createdAt: string; publishedAt: string | null };
  comment?: { id: string; createdAt: string };
  accessToken?: { id: string };
  token?: string;
  transferId?: string;
  made?: { invitation: { id: string }; link: string | null }[];
  recoveryCodes?: string[];
  /** An address for posts by mail, or that of a subscription. */
  email?: string;
  /** The address of a feed. */
  url?: string;
  /** The address of a person's picture. */
  face?: string | null;
  webhook?: { id: string };
  /** All of the account, among them the new one. */
  passkeys?: { id: string; name: string }[];
};

function toldBy({ at }: DeedOf<Asked>, result: unknown, { cookies, headers }: Answer): Told {
  const {
    user,
    post,
    comment,
    accessToken,
    made: invitations,
    passkeys,
    webhook,
    ...rest
  } = result as Results;
  const listed = invitations?.[0]?.invitation ?? passkeys?.find(({ name }) => name === labelOf(`y${at}`));
  const made = post ?? comment ?? accessToken ?? user ?? webhook ?? listed;
  const link = invitations?.[0]?.link;
  const key = rest.url === undefined ? undefined : new URL(rest.url).searchParams.get('key');
  const token = rest.token ?? key ?? (link ? tokenIn(link) : (rest.recoveryCodes?.join(' ') ?? rest.email));
  const cookie = cookies.map(each => each.split(';')[0]).join('; ');
  return {
    id: made?.id ?? rest.transferId ?? '',
    ...((post ?? comment) && { createdAt: (post ?? comment)?.createdAt ?? '' }),
    ...(post?.publishedAt && { publishedAt: post.publishedAt }),
    ...(token !== undefined && { secret: token }),
    ...(rest.face && { face: rest.face }),
    cookie,
    bearer: headers['set-auth-token'] ?? '',
  };
}
