import { useEffect, useEffectEvent, useRef } from 'react';
import type { Upload } from './upload-queue.ts';

/** Calls `onEnded` with the id of each upload that has arrived or was removed from the list. */
export function useEnded(uploads: readonly Upload[], onEnded: (id: string) => void): void {
  const before = useRef<readonly Upload[]>([]);
  const tell = useEffectEvent(onEnded);
  useEffect(() => {
    for (const { id } of before.current) if (!uploads.some(upload => upload.id === id)) tell(id);
    before.current = uploads;
  }, [uploads]);
}
