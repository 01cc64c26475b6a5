import type { z } from 'zod';
import { memberOperations } from './members.ts';
import { postOperations } from './posts.ts';
import { settingsOperations } from './settings.ts';
import { tagOperations } from './tags.ts';
import { tokenOperations } from './tokens.ts';

/** Every operation of Coterie by name. `POST /api/{name}` calls it; nothing else changes or reads the site's content. */
export const operations = {
  ...memberOperations,
  ...postOperations,
  ...settingsOperations,
  ...tagOperations,
  ...tokenOperations,
};

export type Operations = typeof operations;
export type OperationName = keyof Operations;
/** What a caller passes. */
export type Input<Name extends OperationName> = z.input<Operations[Name]['input']>;
export type Output<Name extends OperationName> = z.output<Operations[Name]['output']>;

/** Calls an operation by name: over HTTP in the browser, in the same process while a page is rendered. */
export type Call = <Name extends OperationName>(name: Name, input: Input<Name>) => Promise<Output<Name>>;
