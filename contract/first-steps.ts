/** What the owner of a new site may want to do first. */
export const firstSteps = ['look', 'about', 'post', 'invite', 'care'] as const;
export type FirstStep = (typeof firstSteps)[number];
