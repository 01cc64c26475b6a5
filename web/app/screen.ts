import type { QueryClient } from '@tanstack/react-query';
import { type ComponentType, createContext, use } from 'react';
import type { Call } from '../../contract/operations.ts';
import type { PageHead } from '../../contract/pages.ts';
import { type Params, type RouteName, routeAt } from './routes.ts';

/** What a screen is prepared from: the address, and the way to its data. */
type ScreenRequest = { call: Call; client: QueryClient; params: Params; search: URLSearchParams };

export type ScreenProps = { params: Params };

/** A screen's module: `prepare` loads what it shows into the client, and says what the document is called. */
export type ScreenModule = {
  default: ComponentType<ScreenProps>;
  /** Throws RedirectTo where the reader belongs elsewhere. */
  prepare(request: ScreenRequest): Promise<PageHead & { status?: number }>;
};

export type Screen = {
  /** Its source file: the key of its script in the build's manifest. */
  source: string;
  load(): Promise<ScreenModule>;
  /** Present once loaded, so that the first page hydrates without waiting. */
  module?: ScreenModule;
};

/** The screen of each route: web/screens.ts, which the entries hand to the app. */
export type Screens = Readonly<Record<RouteName, Screen>>;

export const ScreensContext = createContext<Screens | null>(null);

export function useScreens(): Screens {
  const screens = use(ScreensContext);
  if (screens === null) throw new Error('The app must be rendered inside a ScreensContext.');
  return screens;
}

/** The screen at a path, and what the path names; undefined where there is none. */
export function screenAt(screens: Screens, pathname: string): ({ screen: Screen } & ScreenProps) | undefined {
  const match = routeAt(pathname);
  return match && { screen: screens[match.name], params: match.params };
}
