/** What the owner of a new site may want to do first. */
export const firstSteps = ['look', 'about', 'post', 'invite', 'care'] as const;
export type FirstStep = (typeof firstSteps)[number];

/** What the step `care` is made of: a mail server, and a time of daily backups. */
export const carePieces = ['mail', 'backups'] as const;
export type CarePiece = (typeof carePieces)[number];
