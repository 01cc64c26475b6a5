import type { APIRequestContext } from '@playwright/test';
import type { Input } from '../../contract/operations.ts';
import { upload } from '../../test/e2e/upload.ts';
import { callAs } from './author.ts';
import { landscape, tone } from './pictures.ts';

type Post = Input<'createPost'>;

const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const noBreaks = 'https://example.com/'.padEnd(400, 'abcdefghij0123456789');
const sentence =
  'The water rose by the width of a hand while nobody was looking, and nobody was ever not looking again. ';

/** Publishes the posts that are hardest to lay out. Returns their ids by name. */
export async function fillHard(author: APIRequestContext): Promise<Map<string, string>> {
  const [huge, tall] = [
    await upload(author, 'huge.jpg', await landscape(3, 3_000, 2_000)),
    await upload(author, 'tall.jpg', await landscape(4, 300, 2_400)),
  ];
  const ids = new Map<string, string>();
  for (const [name, post] of Object.entries(hardPosts(huge, tall, await tenFiles(author)))) {
    ids.set(name, (await callAs(author, 'createPost', post)).post.id);
  }
  return ids;
}

async function tenFiles(author: APIRequestContext): Promise<NonNullable<Post['attachments']>> {
  const files: [name: string, bytes: Buffer, description: string | null][] = [
    ['panorama.jpg', await landscape(5, 2_400, 300), 'Far wider than high'],
    ['tower.jpg', await landscape(6, 300, 1_800), null],
    ['small.jpg', await landscape(7, 40, 40), 'Smaller than a fingertip'],
    ['bell.wav', tone(), longWord],
    [`${'a-name-without-end-'.repeat(9)}.txt`, Buffer.from('words'), null],
    ['שלום עולם.txt', Buffer.from('words'), 'שלום עולם, זה קובץ'],
    ['résumé (final) (2) 🎉.txt', Buffer.from('words'), sentence.repeat(4)],
    ['square.jpg', await landscape(8, 700, 700), noBreaks],
    ['data.csv', Buffer.from('a,b\n1,2\n'), null],
    ['notes.txt', Buffer.from('words'), ''],
  ];
  const attachments = [];
  for (const [name, bytes, description] of files) {
    attachments.push({ url: await upload(author, name, bytes), description });
  }
  return attachments;
}

function essay(title: string, description: string, content: string, tags: string[] = []): Post {
  return { type: 'essay', title, description, content, tags, isDraft: false };
}

function hardPosts(
  huge: string,
  tall: string,
  files: NonNullable<Post['attachments']>,
): Record<string, Post> {
  return {
    'long-words': essay(
      `${longWord} and ${longWord.toUpperCase()}`.slice(0, 200),
      `${longWord}${longWord} ${noBreaks}`.slice(0, 500),
      `# ${longWord}\n\n${longWord} ${noBreaks}\n\n> ${noBreaks}\n\n- ${noBreaks}\n\n\`${noBreaks}\`\n\n**${noBreaks}**\n\n${noBreaks}`,
      ['x'.repeat(50), `a tag of ${'many '.repeat(7)}words`, ...'abcdefghijklmnop'],
    ),
    tables: essay('Tables', 'Wide, long, and crowded.', tables()),
    code: essay('Code', 'Lines without end.', code()),
    pictures: essay(
      'Pictures',
      'Huge, tall, small, missing, in a row.',
      `![Huge](${huge})\n\n![Tall](${tall})\n\nA small one ![small](/icon-192.png) inside a line, and ![one](/icon-192.png) ![two](/icon-192.png) ![three](/icon-192.png) in a row.\n\n- ![in a list](${huge})\n\n> ![in a quote](${huge})\n\n| picture | words |\n|---|---|\n| ![in a table](${huge}) | ${sentence} |\n\n![${sentence}](/files/nothing-is-here.png)\n\n[Video: flood.mp4](/files/nothing/flood.mp4)\n\n[![linked](${huge})](https://example.com)`,
    ),
    lists: essay('Lists', 'As deep as they go.', lists()),
    footnotes: essay(
      'Footnotes',
      'And what else hangs below a text.',
      `${'Every sentence has a doubt[^1] and every doubt has a source.[^long] '.repeat(8)}\n\n---\n\n- [ ] to do\n- [x] done\n  - [ ] below it\n\n> Quoted\n>\n> > and quoted again\n> >\n> > > and again, ${sentence}\n\n~~gone~~, H~2~O, www.example.com, me@example.com\n\n[^1]: ${sentence}\n[^long]: ${noBreaks}\n\n    ${sentence}\n\n    \`\`\`js\n    const code = ${"'inside a footnote ".repeat(8)}';\n    \`\`\``,
    ),
    rtl: essay(
      'מים, לחם ומנעול: יומן של שומרת התעלה',
      'שלוש שבועות של גשם, כפי שנראו מחלון המטבח ומגג מחסן העצים.',
      `המים עלו ברוחב יד בזמן שאיש לא הביט. ראו [הקישור](https://example.com) וגם \`inline code\` בתוך המשפט.\n\nThis paragraph is English inside a Hebrew text, and reads from the left.\n\n- פריט ראשון\n- פריט שני\n  1. ראשון בתוכו\n  2. שני בתוכו\n\n> ציטוט ארוך דיו כדי לעבור לשורה הבאה ולהראות באיזה צד עומד הקו שלו, ועוד כמה מילים.\n\n| שם | ערך |\n|---|---|\n| גובה | 2.10 |\n\n\`\`\`js\nconst water = level + 1; // code stays left to right\n\`\`\`\n\nالماء يرتفع ببطء، ولا أحد يلاحظ ذلك حتى يصل إلى العتبة.`,
      ['עברית', 'العربية'],
    ),
    emoji: {
      type: 'short',
      content: `${'👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀'.repeat(20)} 日本語の文章はとても長くて、単語の間に空白がありません。`,
      tags: ['🍞', '日本語'],
      isDraft: false,
    },
    'short-300': { type: 'short', content: sentence.repeat(3).slice(0, 300), tags: [], isDraft: false },
    'short-word': { type: 'short', content: 'w'.repeat(300), tags: [], isDraft: false },
    'short-lines': {
      type: 'short',
      content: Array.from({ length: 75 }, (_, n) => `${n}  `)
        .join('\n')
        .slice(0, 300),
      tags: [],
      isDraft: false,
    },
    'short-code': {
      type: 'short',
      content: `\`\`\`sh\n${'curl -s https://example.com/a | sh '.repeat(7)}\n\`\`\``,
      tags: [],
      isDraft: false,
    },
    'ten-files': {
      type: 'short',
      content: 'Ten files, one of each kind.',
      tags: [],
      isDraft: false,
      attachments: files,
    },
    'words-10000': essay(
      'Ten Thousand Words',
      'For those who stay.',
      Array.from(
        { length: 100 },
        (_, n) => `${n % 10 === 0 ? `## Chapter ${n / 10 + 1}\n\n` : ''}${sentence.repeat(5)}`,
      ).join('\n\n'),
    ),
    headings: essay(
      'Every Kind of Heading, One under Another, in a Title that Takes More than a Line',
      'And what follows each.',
      [1, 2, 3, 4, 5, 6]
        .map(level => `${'#'.repeat(level)} Level ${level} of ${longWord}\n\n${sentence}`)
        .join('\n\n')
        .concat(
          '\n\n## Straight\n\n### After\n\n#### Another\n\n- list\n\n## Code in `a heading` and *emphasis*\n\nEnd.',
        ),
    ),
  };
}

function tables(): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const columns = Array.from({ length: 14 }, (_, n) => `Column ${n}`);
  return [
    row(columns),
    row(columns.map((_, n) => (n % 3 === 0 ? '--:' : '---'))),
    ...Array.from({ length: 6 }, (_, n) => row(columns.map((_, m) => String((n + 1) * (m + 7) * 1_237)))),
    '',
    row(['What', 'Why']),
    row(['---', '---']),
    row([sentence, sentence.repeat(3)]),
    row([noBreaks, 'short']),
    row([longWord, `\`${'code without a break'.replaceAll(' ', '')}\``]),
    '',
    row(['One']),
    row(['---']),
    row(['cell']),
  ].join('\n');
}

function code(): string {
  const line = `const answer = await fetch('${noBreaks}', { headers: { accept: 'application/json' } });`;
  const program = Array.from({ length: 60 }, (_, n) => `${'  '.repeat(n % 12)}if (water > ${n}) ring(bell);`);
  return `\`\`\`ts\n${line}\n${program.join('\n')}\n\`\`\`\n\nWords between, with \`${'long.inline.code.'.repeat(12)}\` in them.\n\n- In a list:\n\n  \`\`\`diff\n  - ${line}\n  + ${line}\n  \`\`\`\n\n> \`\`\`\n> ${line}\n> \`\`\``;
}

function lists(): string {
  const deep = Array.from({ length: 9 }, (_, n) => `${'  '.repeat(n)}- Level ${n + 1}: ${sentence}`);
  const numbered = Array.from({ length: 12 }, (_, n) => `${n + 995}. ${n % 4 === 0 ? longWord : 'Item'}`);
  return `${deep.join('\n')}\n\n${numbered.join('\n')}\n\n1. One\n\n   With a paragraph.\n\n   > and a quote\n\n2. Two\n   - mixed\n     1. again\n`;
}
