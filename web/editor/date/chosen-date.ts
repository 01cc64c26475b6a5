/** The name of the choice of a date in the form of the editor: the day of the photos, or an earlier one. */
export const dateChoice = 'date';

/** A day in the form of a photo's date: `2026-10-12`. */
export const dayIn = (timeZone: string, at = Date.now()): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);

/** The date that an author has chosen in the form of the editor; undefined for none. */
export function chosenDate(choices: FormData): string | undefined {
  const [date] = choices.getAll(dateChoice).map(String).filter(Boolean);
  // A day that was chosen without a time is its noon.
  return date === undefined || date.includes('T') ? date : `${date}T12:00:00`;
}
