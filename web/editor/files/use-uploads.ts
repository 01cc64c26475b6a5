import { useEffect, useState } from 'react';
import { uploadFile } from '../../storage/client.ts';
import { posterOf } from './poster.ts';
import { type Upload, UploadQueue } from './upload-queue.ts';

/** The uploads of an editor, and their states. */
export function useUploads() {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [queue] = useState(() => new UploadQueue({ send: uploadFile, posterOf }, setUploads));
  useEffect(() => () => queue.abandon(), [queue]);
  return { uploads, isUploading: uploads.some(upload => upload.failure === undefined), queue };
}
