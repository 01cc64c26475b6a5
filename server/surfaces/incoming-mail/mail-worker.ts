import { parentPort, workerData } from 'node:worker_threads';
import { ownWords, wholeText } from './own-words.ts';
import { type MailAnswer, type MailRequest, parseMail } from './read-mail.ts';

/** The thread that reads one mail (read-mail.ts) and ends. */
async function read({ source, words }: MailRequest): Promise<MailAnswer> {
  try {
    const { body, ...mail } = await parseMail(source);
    const wordsOf = { own: ownWords, whole: wholeText, none: () => '' }[words];
    return { ...mail, text: wordsOf(body) };
  } catch (error) {
    return { reason: String(error) };
  }
}

const answer = await read(workerData as MailRequest);
parentPort?.postMessage(answer);
