import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { listen } from '../../test/support/listen.ts';
import { publicReach, readPage, readPicture } from './read-page.ts';

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

const asked: string[] = [];
async function serve(answer: RequestListener): Promise<string> {
  asked.length = 0;
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  return `http://127.0.0.1:${await listen(server)}`;
}
const page = (head: string, type = 'text/html; charset=utf-8') =>
  serve((_, response) =>
    response.writeHead(200, { 'content-type': type }).end(`<html><head>${head}</head><body>`),
  );
const reach = { isAllowed: (address: string) => address === '127.0.0.1', isAllowedPort: () => true };
const read = async (site: string, path = '/') => await readPage(new URL(path, site), reach);

it('a page tells its title, its sentence and its picture', async () => {
  const site = await page(
    '<title>Other</title><meta property="og:title" content="On  rain"><meta name="description" content="What falls.">' +
      '<meta property="og:image" content="/rain.jpg">',
  );
  expect(await read(site)).toEqual({
    title: 'On rain',
    sentence: 'What falls.',
    picture: new URL('/rain.jpg', site),
  });
});

it('a page without more than a title tells that, in its encoding and at most so long', async () => {
  const site = await serve((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
      .end(Buffer.from(`<title>Ged\xe4chtnis ${'wort '.repeat(90)}</title>`, 'latin1')),
  );
  const { title, sentence, picture } = await read(site);
  expect([title.slice(0, 10), title.length <= 120, sentence, picture]).toEqual([
    'Gedächtnis',
    true,
    '',
    undefined,
  ]);
});

it('the picture of a page is told in each of the usual ways', async () => {
  for (const name of ['og:image', 'og:image:url', 'twitter:image']) {
    const site = await page(`<title>On rain</title><meta name="${name}" content="/rain.jpg">`);
    expect((await read(site)).picture).toEqual(new URL('/rain.jpg', site));
    server?.close();
  }
});

it.each([
  ['no page', 'application/pdf', '<title>a</title>', 'and no page'],
  ['no title', 'text/html', '<p>', 'it has no title'],
])('%s is refused', async (_, type, head, reason) => {
  await expect(read(await page(head, type))).rejects.toThrow(reason);
});

it('no inner address is connected to, nor one that it redirects to', async () => {
  const site = await page('<title>inner</title>');
  const anyPort = { ...publicReach, isAllowedPort: () => true };
  await expect(readPage(new URL(site), anyPort)).rejects.toThrow('not on the public Internet');
  await expect(readPicture(new URL(site), 9, anyPort)).rejects.toThrow('not on the public Internet');
  // Nor one at a port of other programs.
  const anyAddress = { ...publicReach, isAllowed: () => true };
  await expect(readPage(new URL(site), anyAddress)).rejects.toThrow('it is at port');
  expect(asked).toEqual([]);
  server?.close();
  const out = await serve((request, response) => {
    const { port } = new URL(`http://${request.headers.host}`);
    const location = request.url === '/round' ? '/round' : `http://127.0.0.2:${port}/secret`;
    response.writeHead(302, { location }).end();
  });
  await expect(read(out, '/out')).rejects.toThrow('127.0.0.2 is not on the public Internet');
  await expect(read(out, '/round')).rejects.toThrow('redirected too often');
  expect(asked).not.toContain('/secret');
});

it('a picture that is larger than it may be is not read', async () => {
  const site = await serve((_, response) => response.end(Buffer.alloc(100)));
  await expect(readPicture(new URL(site), 10, reach)).rejects.toThrow('it is larger than');
  expect((await readPicture(new URL(site), 100, reach)).length).toBe(100);
});
