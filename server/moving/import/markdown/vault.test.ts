import { expect, it } from 'vitest';
import { Vault, withoutWikiSigns } from './vault.ts';

const paths = [
  'Hills (old).md',
  'deep/Hills.md',
  'trips/Sea side.md',
  'files/river.png',
  'files/boat.mp4',
  'files/talk.mp3',
];
const vault = new Vault(paths, true);
const plain = (text: string, of = vault) => withoutWikiSigns(text, of);

it('links and embeds find their files by name, wherever they lie', () => {
  expect(plain('[[hills]] [[Sea side|the sea]] [[Sea side#Beach]]')).toBe(
    '[hills](/deep/Hills.md) [the sea](/trips/Sea%20side.md) [Sea side](/trips/Sea%20side.md)',
  );
  expect(plain('![[river.png|300]] ![[river.png|A river]] ![[boat.mp4]] ![[talk.mp3]] ![[Hills]]')).toBe(
    '![](/files/river.png) ![A river](/files/river.png) ![boat.mp4](/files/boat.mp4) ![talk.mp3](/files/talk.mp3) [Hills](/deep/Hills.md)',
  );
  expect(plain('[[Hills (old)]]')).toBe('[Hills (old)](/Hills%20%28old%29.md)');
  expect(plain('[[Nobody]] [[Nobody|words]] ![[gone.png]]')).toBe('Nobody words ![](/gone.png)');
});

it('callouts keep their title, and what only the author sees is dropped', () => {
  expect(plain('> [!warning]- Mind this\n> Text')).toBe('> **Mind this**\n>\n> Text');
  expect(plain('> [!NOTE]\n> Text')).toBe('> **Note**\n>\n> Text');
  expect(plain('a %%secret%% b\n%%\nlong\n%%\nc ==marked== text ^abc12')).toBe(
    'a  b\n\nc <mark>marked</mark> text',
  );
});

it('code shows the signs as they are', () => {
  const code = '`[[Hills]]`\n\n```\n%%x%% [[Hills]] ==y==\n```';
  expect(plain(code)).toBe(code);
});

it('elsewhere than in a folder of Obsidian only links to files that are there are changed', () => {
  const folder = new Vault(paths, false);
  expect(plain('[[Hills]] [[Nobody]] 100%% ==x== [[]]', folder)).toBe(
    '[Hills](/deep/Hills.md) [[Nobody]] 100%% ==x== [[]]',
  );
});
