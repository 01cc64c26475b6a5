import { useEffect, useState } from 'react';

/** A debounced value: it follows once the value has not changed for a while. */
export function useLater<T>(value: T, restMs: number): T {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return later;
}
