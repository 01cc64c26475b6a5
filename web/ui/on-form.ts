import type { FormEvent } from 'react';

/** Makes a submit handler that gets the data of the form, and keeps the browser from loading a page. */
export function onForm(submit: (form: FormData) => void) {
  return (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit(new FormData(event.currentTarget));
  };
}
