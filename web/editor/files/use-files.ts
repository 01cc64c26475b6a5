import { type RefObject, useEffect, useRef, useState } from 'react';
import { attachmentsPerPost } from '../../../contract/constants.ts';
import type { Writing } from '../text/code-mirror.ts';
import type { Draft } from '../unsaved/draft.ts';
import type { Arrived } from './upload-queue.ts';
import { useUploads } from './use-uploads.ts';

/**
 * The files of a post, which has `attached` attachments: pictures and videos are inserted into its text at the cursor,
 * others become attachments.
 */
export function useFiles(
  edit: (change: (draft: Draft) => Draft) => void,
  writing: RefObject<Pick<Writing, 'append'> | null>,
  attached: number,
) {
  const { uploads, isUploading, queue } = useUploads();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const count = useRef(attached);
  useEffect(() => {
    count.current = attached;
  }, [attached]);
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
    queue.add(files.slice(0, room), onArrived, true);
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
    attach,
    insert: (files: readonly File[], mark: Writing['mark']) => {
      attach(files.filter(file => !isShown(file)));
      for (const file of files.filter(isShown)) {
        const put = mark();
        const label = file.name.replaceAll(/[[\]\\`*<]/g, '\\$&');
        queue.add([file], arrived => {
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
