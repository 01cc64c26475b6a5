/** The picture of a person in a circle, or the initials of the first and last word of their name. */
export function Face({ name, face }: { name: string; face: string | null }) {
  if (face !== null) return <img className="face" src={face} width={28} height={28} alt="" loading="lazy" />;
  const words = name.trim().split(/\s+/);
  const last = words.length > 1 ? words.at(-1) : undefined;
  const initials = [words[0], last].map(word => [...(word ?? '')][0] ?? '').join('');
  return (
    <span className="face" aria-hidden="true">
      {initials.toUpperCase()}
    </span>
  );
}
