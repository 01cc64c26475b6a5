import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { Redirect } from 'wouter';
import { AppError } from '../../contract/errors.ts';
import { NavLink } from '../app/nav-link.tsx';
import { Page } from '../app/page.tsx';
import { useOperations } from '../app/queries.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import type { Viewer } from '../app/viewer.ts';
import { Notice } from '../ui/notice.tsx';
import { Proposed, prepareCounts, ReportedComments, WaitingPeople } from './counts.tsx';

import '../styles/admin.css';
import '../styles/admin-rows.css';
import '../styles/admin-posts.css';
import '../styles/tag-input.css';

type Prepare = ScreenModule['prepare'];

/**
 * A `prepare` for admins only: others are redirected to `/` before anything of the screen is loaded
 * (specification section 2, "/admin/*").
 */
export const forAdmins = (prepare: Prepare) => onlyFor('administer', prepare);

/** Like {@link forAdmins}, for authors, too. */
export const forWriters = (prepare: Prepare) => onlyFor('write', prepare);

function onlyFor(right: 'administer' | 'write', prepare: Prepare): Prepare {
  return async request => {
    const { can, user } = await request.call('getViewer', {});
    if (user?.needsSecondFactor || !can[right]) throw new RedirectTo(placeFor(user));
    const [head] = await Promise.all([prepare(request), can.administer && prepareCounts(request)]);
    return head;
  };
}

/**
 * Where somebody without the right is redirected: an admin without the required second factor to where it is
 * set up.
 */
function placeFor(user: Viewer['user']): string {
  return user?.needsSecondFactor ? routes.account.href('#second-factor') : routes.timeline.href();
}

/** How an admin screen reports the outcome of an action. */
export type Report = {
  /**
   * A toast, with buttons for what can be done now; without a text none, and the one before goes, unless it
   * stays.
   */
  done(text: string, actions?: ReactNode): void;
  /**
   * One sentence that stays until it is dismissed (decision 20): what failed, and the server's reason.
   */
  failed(text: string, error: unknown): void;
};

const ReportContext = createContext<Report | null>(null);

/** For use within an {@link AdminPage}. */
export function useReport(): Report {
  const report = use(ReportContext);
  if (report === null) throw new Error('Reports are made inside an AdminPage.');
  return report;
}

/** What an action of an admin takes, within an {@link AdminPage}. */
export const useAdminOperations = () => ({ ...useOperations(), report: useReport() });

type AdminPageProps = {
  title: string;
  /** The main action of the page, beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
};

/**
 * The frame of every admin screen: navigation, heading and guard. Somebody who loses the role while it is
 * open is also redirected to `/`. Components that load data must be children, which are rendered only for
 * admins.
 */
export function AdminPage(props: AdminPageProps) {
  return useViewer().can.administer ? <Frame {...props} /> : <NotHere />;
}

/** Like {@link AdminPage}, for authors, too. */
export function WritersPage(props: AdminPageProps) {
  return useViewer().can.write ? <Frame {...props} /> : <NotHere />;
}

function NotHere() {
  return <Redirect to={placeFor(useViewer().user)} replace />;
}

function Frame({ title, actions, children }: AdminPageProps) {
  const { can } = useViewer();
  const toast = useToast();
  const [failure, setFailure] = useState('');
  const report = useMemo<Report>(
    () => ({
      done: (text, actions) => {
        toast(text === '' ? null : { text, actions });
        setFailure('');
      },
      failed: (text, error) => {
        setFailure(error instanceof AppError ? `${text} ${error.message}` : text);
      },
    }),
    [toast],
  );
  return (
    <ReportContext value={report}>
      <Page title={title} isWide above={can.administer && <Tabs />} header={actions}>
        {children}
        {failure !== '' && (
          <div className="report">
            <Notice text={failure} onDismiss={() => setFailure('')} />
          </div>
        )}
      </Page>
    </ReportContext>
  );
}

type Place = readonly [
  route:
    | 'users'
    | 'invitations'
    | 'posts'
    | 'managedTags'
    | 'reportedComments'
    | 'settings'
    | 'mail'
    | 'webhooks'
    | 'backups'
    | 'transfers'
    | 'history'
    | 'system',
  name: string,
];

const groups: Readonly<Record<string, readonly Place[]>> = {
  People: [
    ['users', 'Users'],
    ['invitations', 'Invitations'],
  ],
  Writing: [
    ['posts', 'Posts'],
    ['managedTags', 'Tags'],
    ['reportedComments', 'Comments'],
  ],
  Site: [
    ['settings', 'Settings'],
    ['mail', 'Mail'],
    ['webhooks', 'Webhooks'],
    ['backups', 'Backups'],
    ['transfers', 'Import & Export'],
    ['history', 'History'],
    ['system', 'System'],
  ],
};

/** Where the places are one line that scrolls, the current one comes into sight. */
function showCurrent(nav: HTMLElement | null): void {
  const current = nav?.querySelector('[aria-current="page"]');
  if (nav == null || current == null) return;
  const [line, place] = [nav.getBoundingClientRect(), current.getBoundingClientRect()];
  nav.scrollLeft += place.left + place.width / 2 - (line.left + line.width / 2);
}

function Tabs() {
  return (
    <nav className="groups" aria-label="Administration" ref={showCurrent}>
      {Object.entries(groups).map(([title, places]) => (
        <ul key={title} className="tabs" aria-label={title}>
          {places.map(([route, name]) => (
            <li key={route}>
              <NavLink to={routes[route].href()} isExact={route === 'users'}>
                {name}
                {route === 'users' && <WaitingPeople />}
                {route === 'invitations' && <Proposed />}
                {route === 'reportedComments' && <ReportedComments />}
              </NavLink>
            </li>
          ))}
        </ul>
      ))}
    </nav>
  );
}

/** Whether another admin has answered an item meanwhile, so that it leaves its list. */
export const isGone = (error: unknown) => error instanceof AppError && error.code === 'not-found';

/**
 * Moves the focus to the same button in the next row before this one is removed; after the last row, to the
 * heading.
 */
export function leaveRow(row: HTMLElement | null): void {
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  const heading = row?.closest('main')?.querySelector<HTMLElement>('h1');
  const target = next?.querySelector<HTMLElement>('.acts button') ?? heading;
  target?.focus({ preventScroll: target === heading });
}
