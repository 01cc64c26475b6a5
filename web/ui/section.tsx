import { type ReactNode, type Ref, useId } from 'react';

type SectionProps = {
  title: ReactNode;
  /** The id of the heading, for links to it. */
  id?: string;
  /** The heading, which gets the focus when the button that had it is removed. */
  heading?: Ref<HTMLHeadingElement>;
  children: ReactNode;
};

/** A part of a page, with a heading that also names it for screen readers. */
export function Section({ title, id, heading, children }: SectionProps) {
  const ownId = useId();
  return (
    <section className="section" aria-labelledby={id ?? ownId}>
      <h2 id={id ?? ownId} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </section>
  );
}
