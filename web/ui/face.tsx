/** The initials of a person in a circle: of the first and the last word of their name. */
export function Face({ name }: { name: string }) {
  const words = name.trim().split(/\s+/);
  const last = words.length > 1 ? words.at(-1) : undefined;
  const initials = [words[0], last].map(word => [...(word ?? '')][0] ?? '').join('');
  return (
    <span className="face" aria-hidden="true">
      {initials.toUpperCase()}
    </span>
  );
}
