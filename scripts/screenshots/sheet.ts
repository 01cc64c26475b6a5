import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Shot = { view: string; width: number; theme: string; file: string };

/** A page with all pictures, those of one state next to each other. */
export async function writeSheet(folder: string, shots: readonly Shot[]): Promise<void> {
  const views = [...new Set(shots.map(({ view }) => view))];
  const sections = views.map(view => {
    const pictures = shots
      .filter(shot => shot.view === view)
      .map(
        ({ file, width, theme }) =>
          `<a href="${file}"><img src="${file}" width="${width / 4}" loading="lazy" alt="${view}, ${width} px, ${theme}"></a>`,
      );
    return `<h2 id="${view}">${view}</h2><div>${pictures.join('')}</div>`;
  });
  const style =
    'body{font:14px system-ui;margin:2rem;background:#888}div{display:flex;gap:1rem;align-items:start;overflow-x:auto}';
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title><style>${style}</style><h1>${shots.length} screenshots</h1><p>${views.map(view => `<a href="#${view}">${view}</a>`).join(' ')}</p>${sections.join('')}</html>`,
  );
}
