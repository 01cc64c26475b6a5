import type { Web } from '../../server/surfaces/pages/web.ts';

const refuse = () => Promise.reject(new Error('This process has no pages.'));

/** For a process without pages, which would have to be built first. */
export const noPages: Web = {
  render: refuse,
  queryOf: () => undefined,
  clientDir: undefined,
  assetsOf: refuse,
};
