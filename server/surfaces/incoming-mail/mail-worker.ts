import { answerTexts } from '../../markdown/text-program.ts';
import { ownWords, wholeText } from './own-words.ts';
import { type IncomingMail, parseMail, type WordsAsked } from './read-mail.ts';

/** The worker that read-mail.ts starts. */
answerTexts(async (source: string, { words }: WordsAsked): Promise<IncomingMail> => {
  const { body, ...mail } = await parseMail(Buffer.from(source, 'latin1'));
  const wordsOf = { own: ownWords, whole: wholeText, none: () => '' }[words];
  return { ...mail, text: wordsOf(body) };
});
