import { useState } from 'react';
import { type NamedTags, useNamedTags } from '../tag-picker.tsx';
import type { User } from './query.ts';

/** The choices in a list of users before the decision. */
export type Choices = {
  /** The tags that somebody would be approved with. */
  tagsOf(user: User): readonly string[];
  namedTagsOf(user: User): NamedTags;
  choose(user: User, tags: readonly string[]): void;
  isSelected(user: User): boolean;
  /** Whether they are selected together with others. */
  isInBatch(user: User): boolean;
  select(users: readonly User[], isSelected: boolean): void;
};

/** Choices replace the tags of the account: once these change, the choices are dropped. */
const keyOf = ({ id, approvedTags }: User) => JSON.stringify([id, ...approvedTags]);

/**
 * The choices in one list. They stay when a decision is undone; after a decision a user is no longer
 * selected.
 */
export function useChoices(): Choices {
  const [tags, setTags] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const named = useNamedTags();
  const tagsOf = (user: User) => tags.get(keyOf(user)) ?? user.approvedTags;
  return {
    tagsOf,
    namedTagsOf: user => named(tagsOf(user)),
    choose: (user, chosen) => setTags(before => new Map([...before, [keyOf(user), chosen]])),
    isSelected: user => selected.has(user.id),
    isInBatch: user => selected.size > 1 && selected.has(user.id),
    select: (users, isSelected) =>
      setSelected(before => {
        const after = new Set(before);
        for (const { id } of users) isSelected ? after.add(id) : after.delete(id);
        return after;
      }),
  };
}
