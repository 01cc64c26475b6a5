import { parentPort } from 'node:worker_threads';
import { AppError } from '../../contract/errors.ts';
import type { TextAnswer, TextMessage, TextRequest } from './text-worker.ts';

/** Makes this thread the worker of a `TextWorker`: reports that it is loaded, then answers each text. */
export function answerTexts<Options, Result>(act: (text: string, options: Options) => Result): void {
  const answer = ({ id, text, options }: TextRequest<Options>): TextAnswer<Result> => {
    try {
      return { id, result: act(text, options) };
    } catch (error) {
      // Class instances do not survive the transfer between threads.
      if (error instanceof AppError) return { id, refusal: { code: error.code, message: error.message } };
      return { id, error };
    }
  };
  parentPort?.on('message', (request: TextRequest<Options>) => parentPort?.postMessage(answer(request)));
  parentPort?.postMessage('ready' satisfies TextMessage<Result>);
}
