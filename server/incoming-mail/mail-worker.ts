import { answerTexts } from '../markdown/text-program.ts';
import { ownWords, wholeText } from './own-words.ts';
import { type IncomingMail, parseMail, type WordsAsked } from './read-mail.ts';

/** The worker that read-mail.ts starts. */
answerTexts(async (source: string, asked: WordsAsked): Promise<IncomingMail> => {
  const { body, ...mail } = await parseMail(Buffer.from(source, 'latin1'), asked);
  if (asked.words === 'own') return { ...mail, text: ownWords(body, asked.ours) };
  return { ...mail, text: asked.words === 'whole' ? wholeText(body) : '' };
});
