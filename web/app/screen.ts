import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import type { Call } from '../../contract/operations.ts';
import type { PageHead } from '../../contract/pages.ts';
import { type Params, type RouteName, routeAt } from './routes.ts';

/** The input of `prepare`: the address, and the functions that load data. */
type ScreenRequest = { call: Call; client: QueryClient; params: Params; search: URLSearchParams };

export type ScreenProps = { params: Params };

export type ScreenModule = {
  default: ComponentType<ScreenProps>;
  /**
   * Loads its data into the client, and returns the head of the document. Throws RedirectTo to lead the
   * reader elsewhere.
   */
  prepare(request: ScreenRequest): Promise<PageHead & { status?: number }>;
  /** Loads the scripts of the parts that this address shows, which the page hydrates with. */
  loadParts?(search: URLSearchParams): Promise<unknown>;
};

export type Screen = {
  /** Its source file: the key of its script in the build's manifest. */
  source: string;
  load(): Promise<ScreenModule>;
  /** Set once it is loaded, so that the first page hydrates without waiting. */
  module?: ScreenModule;
};

/** The screen of each route; the entries pass those of web/screens.ts to the app. */
export type Screens = Readonly<Record<RouteName, Screen>>;

/** The screen at a path with its parameters; undefined if there is none. */
export function screenAt(screens: Screens, pathname: string): ({ screen: Screen } & ScreenProps) | undefined {
  const match = routeAt(pathname);
  return match && { screen: screens[match.name], params: match.params };
}
