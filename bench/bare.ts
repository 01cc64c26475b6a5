import { createServer } from 'node:http';

/**
 * The server that ours is compared with: plain node:http, which answers each request with the number of bytes
 * in the path.
 */
const bodies = new Map<number, Buffer>();

const server = createServer((request, response) => {
  const size = Number(request.url?.slice(1));
  const body = bodies.get(size) ?? Buffer.alloc(size, 'a');
  bodies.set(size, body);
  request.resume();
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': size });
  response.end(body);
});
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write('listening\n'));
