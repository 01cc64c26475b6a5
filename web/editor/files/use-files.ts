import type { RefObject } from 'react';
import { attachmentsPerPost } from '../../../contract/constants.ts';
import type { Writing } from '../text/code-mirror.ts';
import type { Draft } from '../unsaved/draft.ts';
import type { Arrived } from './upload-queue.ts';
import { useUploads } from './use-uploads.ts';

/** The files of a post: pictures and videos are inserted into its text at the cursor, others become attachments. */
export function useFiles(
  edit: (change: (draft: Draft) => Draft) => void,
  writing: RefObject<Pick<Writing, 'append'> | null>,
) {
  const { uploads, isUploading, queue } = useUploads();
  const onArrived = (file: Arrived) =>
    edit(before => ({
      ...before,
      attachments: [...before.attachments, { ...file, description: '' }].slice(0, attachmentsPerPost),
    }));
  const attach = (files: readonly File[]) => queue.add(files, onArrived, true);
  return {
    uploads,
    isUploading,
    cancel: (id: string) => queue.cancel(id),
    retry: (id: string) => queue.retry(id),
    attach,
    insert: (files: readonly File[], mark: Writing['mark']) => {
      for (const file of files) {
        if (!/^(image|video)\//.test(file.type)) {
          attach([file]);
          continue;
        }
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
