import { parentPort } from 'node:worker_threads';
import { AppError } from '../../contract/errors.ts';
import type { TextAnswer, TextMessage, TextRequest } from './text-worker.ts';

/** Makes this thread the worker of a `TextWorker`: reports that it is loaded, then answers each text. */
export function answerTexts<Options, Result>(
  act: (text: string, options: Options) => Result | Promise<Result>,
): void {
  const answer = async ({ text, options }: TextRequest<Options>): Promise<TextAnswer<Result>> => {
    try {
      return { result: await act(text, options) };
    } catch (error) {
      // Class instances do not survive the transfer between threads.
      if (error instanceof AppError) {
        const { code, message, details } = error;
        return { refusal: { code, message, details } };
      }
      return { error };
    }
  };
  parentPort?.on('message', async (request: TextRequest<Options>) =>
    parentPort?.postMessage(await answer(request)),
  );
  parentPort?.postMessage('ready' satisfies TextMessage<Result>);
}
