import { useEffect, useState } from 'react';
import { addOpenText } from '../../ui/open-texts.ts';
import { FileKeeper } from './file-keeper.ts';

/** Keeps unfinished files with the text of this key, until a log-out deletes them. */
export function useFileKeeper(copyKey: string) {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [keeper] = useState(() => new FileKeeper(copyKey, setKept));
  useEffect(() => keeper.moveTo(copyKey), [keeper, copyKey]);
  useEffect(() => addOpenText({ store: async () => true, stopStoring: () => keeper.stop() }), [keeper]);
  return { keeper, kept };
}
