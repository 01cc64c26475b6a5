import { useEffect, useRef, useState } from 'react';

/** How long typing must rest before it is searched for, in milliseconds. */
const restMs = 150;

/**
 * The text in a field of a search whose words are in the address: `onSearch` gets it once typing rests. Back,
 * forward and a link change the address, and then the text.
 */
export function useTypedSearch(
  value: string,
  onSearch: (text: string) => void,
): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onSearch(text);
    }, restMs);
    return () => clearTimeout(timer);
  });
  return [text, setText];
}
