import type { Acts, Expectation } from './act.ts';
import { actor } from './caller.ts';
import { viewerOf } from './rule.ts';
import { newFile } from './site-acts.ts';
import type { Upload, World } from './world.ts';

export type UploadDeed = 'beginUpload' | 'sendPart' | 'finishUpload' | 'askUpload' | 'cancelUpload';

/**
 * Uploads in parts (decision 24): only the account that began an upload continues it, each part is
 * accepted by the present rights, and an account that may no longer upload loses its unfinished uploads.
 */
export const uploadActs: Acts<UploadDeed> = {
  beginUpload: (world, { by, at }, told) => {
    const asking = actor(world, by, 'author');
    if ('refusal' in asking) return asking;
    const upload = { name: `a${at}`, id: told.id ?? '', account: asking.account, file: `f${at}` };
    world.uploads[upload.name] = { ...upload, hasPart: false, isFinished: false, isGone: false };
    return { result: {} };
  },
  sendPart: (world, { by, upload }) =>
    onUpload(world, by, upload, own => {
      if (own.isFinished) return described(world, own);
      own.hasPart = true;
      return { result: {} };
    }),
  finishUpload: (world, { by, upload }, told) =>
    onUpload(world, by, upload, own => {
      if (!own.hasPart) return { refusal: 'invalid-argument' };
      if (own.isFinished) return described(world, own);
      own.isFinished = true;
      const file = newFile(Number(own.file.slice(1)), false);
      world.files[file.name] = { ...file, id: told.id ?? '', uploader: own.account };
      return { result: { name: file.path } };
    }),
  askUpload: (world, { by, upload }) => onUpload(world, by, upload, () => ({ result: {} })),
  cancelUpload: (world, { by, upload }) =>
    onUpload(world, by, upload, own => {
      own.isGone ||= !own.isFinished;
      return { result: {} };
    }),
};

function onUpload(world: World, by: string, name: string, act: (upload: Upload) => Expectation): Expectation {
  const upload = world.uploads[name];
  const owner = world.accounts[upload?.account ?? ''];
  const mayGoOn = ['author', 'admin'].includes(viewerOf(world, owner ?? null).role);
  if (upload !== undefined && !mayGoOn) upload.isGone ||= !upload.isFinished;
  const asking = actor(world, by, 'author');
  if ('refusal' in asking) return asking;
  if (upload === undefined || upload.isGone || owner?.isGone) return { refusal: 'not-found' };
  return upload.account === asking.account ? act(upload) : { refusal: 'permission-denied' };
}

/** The answer to a repeated step of a finished upload. */
function described(world: World, { file }: Upload): Expectation {
  return { result: { name: world.files[file]?.path } };
}
