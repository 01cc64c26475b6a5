import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { attachmentsPerPost } from '../../../contract/constants.ts';
import type { KeptFile } from '../../storage/kept-files.ts';
import type { Writing } from '../text/code-mirror.ts';
import { type Draft, holdsFile } from '../unsaved/draft.ts';
import { isPicture, isShown, paragraphOf } from './paragraph.ts';
import { pictureOfSite } from './picture-of-site.ts';
import { turned } from './turn.ts';
import type { Arrived } from './upload-queue.ts';
import { type Send, useUploads } from './use-uploads.ts';

type Edit = (change: (draft: Draft) => Draft) => void;

/** The text being written: its content, and the key of its copy in this browser. */
type Written = { draft: Draft; edit: Edit; copyKey: string; revived: readonly KeptFile[] };

/**
 * The files of a post, and their uploads: pictures and videos are inserted into its text at the cursor,
 * others become attachments.
 */
export function useFiles({ draft, edit, copyKey, revived }: Written, writing: RefObject<Writing | null>) {
  const sent = useUploads(copyKey);
  const { uploads, upload } = sent;
  const turning = useTurning(sent);
  /** Whether a voice message is recorded, or waits to be attached. */
  const [isRecording, setRecording] = useState(false);
  const { attach, attachUploaded, ...refusals } = useAttaching(draft.attachments.length, edit, upload);
  const inserting = (isAtEnd = false) => insertion({ writing, upload, attachUploaded }, isAtEnd);
  const goOn = useEffectEvent((files: readonly KeptFile[]) => {
    const insert = inserting(true);
    for (const begun of files) {
      if (begun.isAttached) upload([begun.file], attachUploaded, { isAttached: true, begun });
      else insert(begun.file, begun);
    }
  });
  useEffect(() => goOn(revived), [revived]);
  const open = uploads.filter(({ failure }) => failure === undefined);
  return {
    uploads,
    kept: sent.kept,
    forget: sent.forget,
    cancel: sent.cancel,
    retry: sent.retry,
    shownAs: sent.shownAs,
    /** When the photos of this post that were uploaded here were taken: `2026-10-12T18:04:33`. */
    taken: [...sent.taken].flatMap(([url, at]) => (holdsFile(draft, url) ? [at] : [])),
    isUploading: open.length > 0,
    /** How many files wait for a connection; 0 while they are being sent. */
    waitingCount: open.some(({ isLost }) => isLost) ? open.length : 0,
    ...refusals,
    ...turning,
    /**
     * The address of a dragged or pasted picture that this post has already, or that was uploaded in this
     * editor; undefined for all others. A picture of another post must be uploaded: the server refuses to
     * save a post with a file that somebody else has uploaded.
     */
    pictureOfPost: (transfer: DataTransfer) => {
      const address = pictureOfSite(transfer, location.origin);
      if (address === undefined) return undefined;
      return sent.hasUploaded(address) || holdsFile(draft, address) ? address : undefined;
    },
    attach,
    isRecording,
    setRecording,
    insert: (files: readonly File[]) => {
      attach(files.filter(file => !isShown(file)));
      const insert = inserting();
      for (const file of files.filter(isShown)) insert(file);
    },
  };
}

type Insertion = {
  writing: RefObject<Writing | null>;
  upload: Send;
  attachUploaded(file: Arrived): void;
};

/**
 * Returns a function that uploads a picture or video and inserts it into the text. Pictures inserted by the
 * same one become one paragraph, and so a grid (decision 45).
 */
function insertion({ writing, upload, attachUploaded }: Insertion, isAtEnd: boolean) {
  let wasPicture = false;
  return (file: File, begun?: KeptFile) => {
    const put = writing.current?.mark(isAtEnd);
    const onDone = (arrived: Arrived) => {
      const paragraph = paragraphOf(file, arrived);
      if (paragraph === undefined) return attachUploaded(arrived);
      // If another text has replaced the first one, the file is appended to it, so that the author sees it.
      if (!put?.(paragraph, wasPicture && isPicture(file))) writing.current?.append(paragraph);
      wasPicture = isPicture(file);
    };
    upload([file], onDone, { ...(begun && { begun }) });
  };
}

/** Rotates pictures: a rotated one is another file, and uploaded as such. */
function useTurning({ uploads, upload, copyTaken }: ReturnType<typeof useUploads>) {
  /** The uploads of turned pictures, by the addresses before; undefined while the browser turns one. */
  const [turning, setTurning] = useState<ReadonlyMap<string, string | undefined>>(new Map());
  /** For the address of a turned picture that of the picture as it came, by which its row stays the same. */
  const first = useRef(new Map<string, string>());
  const keyOf = (url: string) => first.current.get(url) ?? url;
  return {
    keyOf,
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
        copyTaken(url, arrived.url);
        onTurned(arrived);
      };
      const [id] = upload([file], onArrived, { begun: null });
      // Not by its arrival: an upload can also be cancelled, or fail and be removed.
      setTurning(before => new Map(before).set(url, id));
      return true;
    },
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
