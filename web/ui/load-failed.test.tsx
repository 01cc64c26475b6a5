import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { LoadFailed } from './load-failed.tsx';

const shown = (error: Error | null) =>
  renderToStaticMarkup(<LoadFailed text="Failed to load posts" error={error} onRetry={() => {}} />);

it('a page that its reader may not see offers no second try', () => {
  const refused = shown(new AppError('permission-denied', 'You may not.'));
  expect(refused).toContain('Failed to load posts');
  expect(refused).not.toContain('Try again');
});

it('a page that could not be reached can be tried again', () => {
  for (const error of [new AppError('unavailable', 'No answer.'), new Error('a bug'), null]) {
    expect(shown(error)).toMatch(/Failed to load posts.*<button[^>]*>Try again<\/button>/);
  }
});
