import type { TableName } from '../db/changes.ts';

/** Whatever a visitor can be shown comes from these tables. */
export const visitorTables: readonly TableName[] = [
  'posts',
  'attachments',
  'likes',
  'comments',
  'tags',
  'default_tags',
  'tag_sets',
  'tag_set_tags',
  'settings',
];
