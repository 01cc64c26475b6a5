import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { isCameraName } from '../../../contract/camera-name.ts';
import { attachmentsPerPost } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import { useSettings } from '../../app/site.tsx';
import { uploadFile } from '../../storage/client.ts';
import type { KeptFile } from '../../storage/kept-files.ts';
import { takenAt } from '../date/taken.ts';
import type { Writing } from '../text/code-mirror.ts';
import { type Draft, holdsFile } from '../unsaved/draft.ts';
import { pictureOfSite } from './picture-of-site.ts';
import { posterOf } from './poster.ts';
import { turned } from './turn.ts';
import { type Arrived, type Upload, UploadQueue } from './upload-queue.ts';
import { useFileKeeper } from './use-file-keeper.ts';

type Edit = (change: (draft: Draft) => Draft) => void;
type Way = {
  isAttached?: boolean;
  /** The kept file to continue; null for one that is not kept in this browser. */
  begun?: KeptFile | null;
};
/** Returns the ids of the uploads. */
type Send = (files: readonly File[], onDone: (file: Arrived) => void, way?: Way) => readonly string[];

/** The text being written: its content, and the key of its copy in this browser. */
type Written = { draft: Draft; edit: Edit; copyKey: string; revived: readonly KeptFile[] };

/** The server would refuse it, too, but only after the upload. */
function refuseLarge({ size }: File, mebibytes: number): void {
  if (size > mebibytes * 1024 * 1024)
    throw new AppError('out-of-range', `A file has at most ${mebibytes} MiB.`);
}

/**
 * The files of a post, and their uploads: pictures and videos are inserted into its text at the cursor,
 * others become attachments.
 */
export function useFiles({ draft, edit, copyKey, revived }: Written, writing: RefObject<Writing | null>) {
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
  /** When uploaded photos were taken, by their addresses. */
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
  /** The uploads of turned pictures, by the addresses before; undefined while the browser turns one. */
  const [turning, setTurning] = useState<ReadonlyMap<string, string | undefined>>(new Map());
  /** Whether a voice message is recorded, or waits to be attached. */
  const [isRecording, setRecording] = useState(false);
  /** For the address of a turned picture that of the picture as it came, by which its row stays the same. */
  const first = useRef(new Map<string, string>());
  const keyOf = (url: string) => first.current.get(url) ?? url;
  const { attach, attachUploaded, ...refusals } = useAttaching(draft.attachments.length, edit, upload);
  const isShown = (file: File) => /^(image|video)\//.test(file.type);
  /** Inserts pictures and videos; those chosen together become one paragraph, and so a grid. */
  const inserting = (isAtEnd = false) => {
    // decisions.md 45.
    let wasPicture = false;
    return (file: File, begun?: KeptFile) => {
      const put = writing.current?.mark(isAtEnd);
      const name = file.name.replaceAll(/[[\]\\`*<]/g, '\\$&');
      const onDone = (arrived: Arrived) => {
        const { url, type } = arrived;
        const isVideo = file.type.startsWith('video/');
        // A picture of a type that browsers do not show becomes an attachment.
        if (!isVideo && !type.startsWith('image/')) return attachUploaded(arrived);
        // A camera's name for a picture is useless as its alternative text.
        const alt = isCameraName(file.name) ? '' : name;
        const paragraph = isVideo ? `[Video: ${name}](${url})` : `![${alt}](${url})`;
        // If another text has replaced the first one, the file is appended to it, so that the author sees it.
        if (!put?.(paragraph, wasPicture && !isVideo)) writing.current?.append(paragraph);
        wasPicture = !isVideo;
      };
      upload([file], onDone, { ...(begun && { begun }) });
    };
  };
  const goOn = useEffectEvent((files: readonly KeptFile[]) => {
    const insert = inserting(true);
    for (const begun of files) {
      if (begun.isAttached) upload([begun.file], attachUploaded, { isAttached: true, begun });
      else insert(begun.file, begun);
    }
  });
  useEffect(() => goOn(revived), [revived]);
  return {
    uploads,
    /** The ids of the uploads whose files this browser keeps, also after the page is closed. */
    kept,
    forget: (id: string) => keeper.forget(id),
    /** When the photos of this post that were uploaded here were taken: `2026-10-12T18:04:33`. */
    taken: [...taken].flatMap(([url, at]) => (holdsFile(draft, url) ? [at] : [])),
    isUploading: uploads.some(({ failure }) => failure === undefined),
    ...refusals,
    cancel: (id: string) => queue.cancel(id),
    retry: (id: string) => queue.retry(id),
    /**
     * The address of a dragged or pasted picture that this post has already, or that was uploaded in this
     * editor; undefined for all others. A picture of another post must be uploaded: the server refuses to
     * save a post with a file that somebody else has uploaded.
     */
    pictureOfPost: (transfer: DataTransfer) => {
      const address = pictureOfSite(transfer, location.origin);
      if (address === undefined) return undefined;
      return uploaded.current.has(address) || holdsFile(draft, address) ? address : undefined;
    },
    attach,
    keyOf,
    shownAs,
    isRecording,
    setRecording,
    isTurning: (url: string) => {
      const id = turning.get(url);
      return id === undefined ? turning.has(url) : uploads.some(upload => upload.id === id);
    },
    /**
     * Resolves with false for a picture that this browser cannot rotate; `onTurned` follows once it is
     * uploaded.
     */
    turn: async (url: string, name: string, onTurned: (file: Arrived) => void): Promise<boolean> => {
      setTurning(before => new Map(before).set(url, undefined));
      const file = await turned(url, name).catch(() => undefined);
      if (file === undefined) {
        setTurning(before => new Map([...before].filter(([other]) => other !== url)));
        return false;
      }
      const onArrived = (arrived: Arrived) => {
        first.current.set(arrived.url, keyOf(url));
        // The rotated picture is another file, without EXIF.
        setTaken(before => {
          const at = before.get(url);
          return at === undefined ? before : new Map(before).set(arrived.url, at);
        });
        onTurned(arrived);
      };
      const [id] = upload([file], onArrived, { begun: null });
      // Not by its arrival: an upload can also be cancelled, or fail and be removed.
      setTurning(before => new Map(before).set(url, id));
      return true;
    },
    insert: (files: readonly File[]) => {
      attach(files.filter(file => !isShown(file)));
      const insert = inserting();
      for (const file of files.filter(isShown)) insert(file);
    },
  };
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

/** Attaches files to a post that already has `attached` of them, up to the limit. */
function useAttaching(attached: number, edit: Edit, upload: Send) {
  const [refused, setRefused] = useState<readonly string[]>([]);
  const count = useRef(attached);
  useEffect(() => {
    count.current = attached;
  }, [attached]);
  const refuse = (names: readonly string[]) => setRefused(before => [...before, ...names]);
  const attachUploaded = (file: Arrived) => {
    // Others were attached while this one was uploaded.
    if (count.current >= attachmentsPerPost) return refuse([file.name]);
    count.current += 1;
    edit(before => ({ ...before, attachments: [...before.attachments, { ...file, description: '' }] }));
  };
  const attach = (files: readonly File[]) => {
    const room = Math.max(0, attachmentsPerPost - count.current);
    refuse(files.slice(room).map(file => file.name));
    upload(files.slice(0, room), attachUploaded, { isAttached: true });
  };
  return {
    attach,
    attachUploaded,
    /** Names of files beyond the limit of attachments. */
    refused,
    forgetRefused: () => setRefused([]),
  };
}
