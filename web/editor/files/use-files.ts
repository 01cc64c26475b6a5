import { type RefObject, useEffect, useRef, useState } from 'react';
import { attachmentsPerPost } from '../../../contract/constants.ts';
import type { Writing } from '../text/code-mirror.ts';
import { type Draft, holdsFile } from '../unsaved/draft.ts';
import { pictureOfSite } from './picture-of-site.ts';
import type { Arrived } from './upload-queue.ts';
import { useUploads } from './use-uploads.ts';

/** The files of a post: pictures and videos are inserted into its text at the cursor, others become attachments. */
export function useFiles(
  draft: Draft,
  edit: (change: (draft: Draft) => Draft) => void,
  writing: RefObject<Pick<Writing, 'append'> | null>,
) {
  const { uploads, isUploading, queue } = useUploads();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const attached = draft.attachments.length;
  const count = useRef(attached);
  useEffect(() => {
    count.current = attached;
  }, [attached]);
  /** The addresses of all files that were uploaded in this editor. */
  const uploaded = useRef(new Set<string>());
  const upload = (files: readonly File[], onDone: (file: Arrived) => void, wantsPoster = false) => {
    const onUploaded = (file: Arrived) => {
      uploaded.current.add(file.url);
      onDone(file);
    };
    queue.add(files, onUploaded, wantsPoster);
  };
  const refuse = (names: readonly string[]) => setRefused(before => [...before, ...names]);
  const onArrived = (file: Arrived) => {
    // Others were attached while this one was uploaded.
    if (count.current >= attachmentsPerPost) return refuse([file.name]);
    count.current += 1;
    edit(before => ({ ...before, attachments: [...before.attachments, { ...file, description: '' }] }));
  };
  const attach = (files: readonly File[]) => {
    const room = Math.max(0, attachmentsPerPost - count.current);
    refuse(files.slice(room).map(file => file.name));
    upload(files.slice(0, room), onArrived, true);
  };
  const isShown = (file: File) => /^(image|video)\//.test(file.type);
  return {
    uploads,
    isUploading,
    /** Names of files that found no room among the attachments. */
    refused,
    forgetRefused: () => setRefused([]),
    cancel: (id: string) => queue.cancel(id),
    retry: (id: string) => queue.retry(id),
    /**
     * The address of a dragged or pasted picture that this post has already, or that was uploaded in this editor;
     * undefined for all others. A picture of another post must be uploaded: the server refuses to save a post with a
     * file that somebody else has uploaded.
     */
    pictureOfPost: (transfer: DataTransfer) => {
      const address = pictureOfSite(transfer, location.origin);
      if (address === undefined) return undefined;
      return uploaded.current.has(address) || holdsFile(draft, address) ? address : undefined;
    },
    attach,
    insert: (files: readonly File[], mark: Writing['mark']) => {
      attach(files.filter(file => !isShown(file)));
      for (const file of files.filter(isShown)) {
        const put = mark();
        const label = file.name.replaceAll(/[[\]\\`*<]/g, '\\$&');
        upload([file], arrived => {
          const { url, type } = arrived;
          const isVideo = file.type.startsWith('video/');
          // A picture of a type that browsers do not show becomes an attachment.
          if (!isVideo && !type.startsWith('image/')) return onArrived(arrived);
          const paragraph = isVideo ? `[Video: ${label}](${url})` : `![${label}](${url})`;
          // If another text has replaced the first one, the file is appended to it, so that the author sees it.
          if (!put(paragraph)) writing.current?.append(paragraph);
        });
      }
    },
  };
}
