import type { FormEvent } from 'react';

/** Handles a form's submission with what it holds, instead of loading a page. */
export function onForm(submit: (form: FormData) => void) {
  return (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit(new FormData(event.currentTarget));
  };
}
