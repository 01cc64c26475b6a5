import type { ReactNode } from 'react';
import { usePageHeading } from './site.tsx';

/** The part of the document that changes from screen to screen; the link 'Skip to content' leads here. */
export function Main({ isWide = false, children }: { isWide?: boolean; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className={isWide ? 'page wide' : 'page'}>
      {children}
    </main>
  );
}

type PageProps = {
  /** The title of the document and the heading of the page. */
  title: string;
  isWide?: boolean;
  /** Above the heading: a way back, or tabs. */
  above?: ReactNode;
  header?: ReactNode;
  children: ReactNode;
};

/** A screen with a title. After a navigation the focus moves to its heading. */
export function Page({ title, isWide = false, above, header, children }: PageProps) {
  return (
    <Main isWide={isWide}>
      {above}
      <PageHeader title={title}>{header}</PageHeader>
      {children}
    </Main>
  );
}

/** The header of a screen whose other parts stay while its title appears and disappears. */
export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
  const heading = usePageHeading(title);
  return (
    <header>
      <h1 ref={heading} tabIndex={-1} dir="auto">
        {title}
      </h1>
      {children}
    </header>
  );
}
