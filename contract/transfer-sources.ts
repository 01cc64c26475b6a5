/** A file that a source needs, as the form asks for it. */
type FileSlot = {
  label: string;
  hint: string;
  /** File name extensions, as in the `accept` of an input. */
  accept: string;
  isRequired: boolean;
  /** Several files at once. */
  isMany?: true;
};

const archive = (hint: string): FileSlot => ({ label: 'Archive', hint, accept: '.zip', isRequired: true });

/**
 * The sources that can be imported in the browser, with the files that each needs. `docs/moving.md` says how
 * to get them.
 */
export const importSources = {
  markdown: {
    name: 'Markdown',
    slots: {
      archive: archive('A zip file of a folder with .md files, or of an export of Coterie as Markdown.'),
    },
  },
  wordpress: {
    name: 'WordPress',
    slots: {
      export: {
        label: 'Exported files',
        hint: 'What Tools, Export writes; all files of a large site.',
        accept: '.xml',
        isRequired: true,
        isMany: true,
      },
      media: {
        label: 'Media',
        hint: 'Optional: a zip file of wp-content/uploads.',
        accept: '.zip',
        isRequired: false,
      },
      users: {
        label: 'Accounts',
        hint: 'Optional: the CSV file that “wp user list” writes. It is a secret.',
        accept: '.csv',
        isRequired: false,
      },
    },
  },
  ghost: {
    name: 'Ghost',
    slots: {
      export: {
        label: 'Exported file',
        hint: 'What Settings, Import/Export writes.',
        accept: '.json',
        isRequired: true,
      },
      images: {
        label: 'Images',
        hint: 'Optional: a zip file of the folder “content”.',
        accept: '.zip',
        isRequired: false,
      },
      members: {
        label: 'Members',
        hint: 'Optional: the CSV file of “Export all members”.',
        accept: '.csv',
        isRequired: false,
      },
    },
  },
  mastodon: {
    name: 'Mastodon',
    slots: { archive: archive('What “Request your archive” makes, as a zip file.') },
  },
  dayone: {
    name: 'Day One',
    slots: { archive: archive('What File, Export, JSON writes.') },
  },
} as const satisfies Record<string, { name: string; slots: Record<string, FileSlot> }>;

export type ImportSource = keyof typeof importSources;

export function slotsOf(source: ImportSource): readonly (readonly [string, FileSlot])[] {
  return Object.entries<FileSlot>(importSources[source].slots);
}

/** What the report of an import counts, by its names there. */
export const importedThings: Readonly<Record<string, string>> = {
  person: 'Accounts',
  post: 'Posts',
  settings: 'Settings',
  other: 'Others',
};

/**
 * What tags change for posts that the source does not restrict: `all` of them, `narrowed` as the report
 * counts them. Not that everybody could read them: a folder of Markdown was perhaps shown to nobody.
 */
export function narrowedWords(all: number, narrowed: number, digits: (count: number) => string = String) {
  const posts = all === 1 ? 'post' : 'posts';
  const are = narrowed === 1 ? 'is' : 'are';
  return `${digits(narrowed)} of ${digits(all)} published ${posts} that the source does not restrict ${are} visible here only to readers who have all their tags.`;
}
