import { useRef } from 'react';
import { countCharacters } from '../../contract/text.ts';
import { amount, number } from '../ui/amount.ts';

/**
 * A box for a text of at most `most` characters. `missing` is shown if it is sent empty; without it the text
 * may be empty. From nine tenths of its length on, `counted` says how long it is.
 */
export function useMessage(text: string, most: number, missing?: string) {
  const box = useRef<HTMLTextAreaElement>(null);
  const words = text.trim();
  const countFrom = most * 0.9;
  // Counting takes time with each key, so it is done only where the number is shown.
  const length = words.length < countFrom ? words.length : countCharacters(words);
  const isTooLong = length > most;
  return {
    box,
    isTooLong,
    counted: length > countFrom ? `${number(length)} of ${amount(most, 'character')}` : undefined,
    /** Whether it can be sent. If not, the box says why; a change of its text must clear that. */
    check: (): boolean => {
      const problem = isTooLong ? `Use at most ${amount(most, 'character')}.` : length === 0 ? missing : '';
      box.current?.setCustomValidity(problem ?? '');
      return box.current?.reportValidity() ?? true;
    },
  };
}
