import { useEffect, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { useSettings } from '../../app/site.tsx';
import { uploadFile } from '../../storage/client.ts';
import type { KeptFile } from '../../storage/kept-files.ts';
import { addOpenText } from '../../ui/open-texts.ts';
import { takenAt } from '../date/taken.ts';
import { FileKeeper } from './file-keeper.ts';
import { posterOf } from './poster.ts';
import { type Arrived, type Upload, UploadQueue } from './upload-queue.ts';

type Way = {
  isAttached?: boolean;
  /** The kept file to continue; null for one that is not kept in this browser. */
  begun?: KeptFile | null;
};
/** Returns the ids of the uploads. */
export type Send = (files: readonly File[], onDone: (file: Arrived) => void, way?: Way) => readonly string[];

/** The uploads of an editor; this browser keeps their files until they have arrived. */
export function useUploads(copyKey: string) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const { keeper, kept } = useFileKeeper(copyKey);
  const { fileMaxMib } = useSettings();
  const largest = useRef(fileMaxMib);
  useEffect(() => {
    largest.current = fileMaxMib;
  }, [fileMaxMib]);
  const [queue] = useState(
    () =>
      new UploadQueue(
        {
          send: async (file, options) => {
            refuseLarge(file, largest.current);
            return await uploadFile(file, options);
          },
          posterOf,
          onPlace: (id, place) => keeper.keepPlace(id, place),
        },
        setUploads,
      ),
  );
  useEffect(() => () => queue.abandon(), [queue]);
  /** The addresses of all files that were uploaded in this editor. */
  const uploaded = useRef(new Set<string>());
  const { hold, shownAs } = useOwnPictures();
  const [taken, setTaken] = useState<ReadonlyMap<string, string>>(new Map());
  const upload: Send = (files, onDone, { isAttached = false, begun } = {}) =>
    files.map(file => {
      const onUploaded = (arrived: Arrived) => {
        uploaded.current.add(arrived.url);
        hold(file, arrived);
        onDone(arrived);
        void takenAt(file).then(at => {
          if (at !== undefined) setTaken(before => new Map(before).set(arrived.url, at));
        });
      };
      const id = queue.add(file, onUploaded, isAttached, begun ?? undefined);
      if (begun !== null) keeper.keep(begun ?? { id, file, isAttached });
      return id;
    });
  return {
    uploads,
    /** The ids of the uploads whose files this browser keeps, also after the page is closed. */
    kept,
    /** When uploaded photos were taken, by their addresses: `2026-10-12T18:04:33`. */
    taken,
    /** For a rotated picture, which is another file, without EXIF. */
    copyTaken: (from: string, to: string) =>
      setTaken(before => {
        const at = before.get(from);
        return at === undefined ? before : new Map(before).set(to, at);
      }),
    upload,
    hasUploaded: (url: string) => uploaded.current.has(url),
    shownAs,
    forget: (id: string) => keeper.forget(id),
    cancel: (id: string) => queue.cancel(id),
    retry: (id: string) => queue.retry(id),
  };
}

/** The server would refuse it, too, but only after the upload. */
function refuseLarge({ size }: File, mebibytes: number): void {
  if (size > mebibytes * 1024 * 1024)
    throw new AppError('out-of-range', `A file has at most ${mebibytes} MB.`);
}

/** The pictures that were uploaded here, to show them in the editor without loading them from the site. */
function useOwnPictures() {
  const own = useRef(new Map<string, string>());
  useEffect(() => {
    const { current } = own;
    return () => {
      for (const address of current.values()) URL.revokeObjectURL(address);
      current.clear();
    };
  }, []);
  return {
    /** The site has converted a HEIC to JPEG, because browsers do not show HEIC. */
    hold: (file: File, { url, type }: Arrived) => {
      if (type.startsWith('image/') && type === file.type) own.current.set(url, URL.createObjectURL(file));
    },
    /** Where the editor loads a picture from: from this browser if possible, otherwise a small size. */
    shownAs: (url: string) => own.current.get(url) ?? (url.startsWith('/files/') ? `${url}?width=480` : url),
  };
}

/** Keeps unfinished files with the text of this key, until a log-out deletes them. */
function useFileKeeper(copyKey: string) {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [keeper] = useState(() => new FileKeeper(copyKey, setKept));
  useEffect(() => keeper.moveTo(copyKey), [keeper, copyKey]);
  useEffect(() => addOpenText({ store: async () => true, stopStoring: () => keeper.stop() }), [keeper]);
  return { keeper, kept };
}
