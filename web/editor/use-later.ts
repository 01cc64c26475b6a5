import { useEffect, useState } from 'react';

/** A value as it was when it last rested for a while: what need not follow every key that is pressed. */
export function useLater<T>(value: T, restMs: number): T {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return later;
}
