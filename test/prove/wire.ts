import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Authenticator } from '../support/authenticator.ts';
import type { Credential } from './model/rule.ts';
import type { World } from './model/world.ts';

export type Ask = {
  /**
   * Sent only once, over a new connection. A request that only reads is sent again if the server has closed
   * the idle connection.
   */
  isChange?: boolean;
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
};

export type Answer = {
  status: number;
  headers: Readonly<Record<string, string>>;
  cookies: readonly string[];
  bytes: Buffer;
};

/** The running processes of a site, reached over the network. */
export class Wire {
  #agents: { url: string; agent: Agent }[] = [];
  /** The devices with people's passkeys, by the passkey's name. */
  readonly devices = new Map<string, Authenticator>();

  constructor(urls: readonly string[]) {
    this.moveTo(urls);
  }

  /** Continues with the processes at other addresses. */
  moveTo(urls: readonly string[]): void {
    this.close();
    this.#agents = urls.map(url => ({ url, agent: new Agent({ keepAlive: true, maxSockets: 32 }) }));
  }

  get processes(): number {
    return this.#agents.length;
  }

  /** The whole answer. Rejects if there is none. */
  async send(process: number, ask: Ask): Promise<Answer> {
    const incoming = await this.open(process, ask);
    const bytes = decoded(await buffer(incoming), incoming.headers['content-encoding']);
    return { ...headOf(incoming), bytes };
  }

  /** An answer whose body is read as it arrives. */
  async open(process: number, ask: Ask): Promise<IncomingMessage> {
    for (;;) {
      const outgoing = this.#request(process, ask);
      try {
        const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
        return incoming;
      } catch (error) {
        if (!outgoing.reusedSocket) throw error;
      }
    }
  }

  #request(process: number, { isChange, method = 'GET', path, headers = {}, body }: Ask): ClientRequest {
    const { url, agent } = this.#agents[process] ?? {};
    if (url === undefined || agent === undefined) throw new Error(`There is no process ${process}.`);
    const { hostname, port } = new URL(url);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const connection = { agent: isChange ? (false as const) : agent, hostname, port };
    const outgoing = request({ ...connection, method, path, headers: { ...headers, ...length } });
    outgoing.end(body);
    return outgoing;
  }

  close(): void {
    for (const { agent } of this.#agents) agent.destroy();
  }
}

function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0 || encoding === undefined) return bytes;
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes);
}

export function headOf(incoming: IncomingMessage): Omit<Answer, 'bytes'> {
  const { 'set-cookie': cookies = [], ...headers } = incoming.headers;
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    cookies,
  };
}

/** The headers of a credential. */
export function headersOf(world: World, credential: Credential): Record<string, string> {
  if (credential.by === 'nothing') return {};
  if (credential.by === 'token') return { authorization: `Bearer ${world.tokens[credential.token]?.secret}` };
  const session = world.sessions[credential.session];
  return credential.by === 'cookie'
    ? { cookie: session?.cookie ?? '' }
    : { authorization: `Bearer ${session?.bearer}` };
}

/** The request that calls an operation. */
export function callOf(operation: string, input: unknown, headers: Record<string, string>): Ask {
  return {
    method: 'POST',
    path: `/api/${operation}`,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data: input }),
  };
}

/** A refused call: the error code and the message. */
export type Refused = { refusal: string; message?: string };

export function resultOf({ status, bytes }: Answer): { result: unknown } | Refused {
  let body: { result?: unknown; error?: { status?: unknown; message?: string } };
  try {
    body = JSON.parse(bytes.toString());
  } catch {
    return { refusal: `${status} ${bytes.toString().slice(0, 200)}` };
  }
  if (body.error === undefined) return { result: body.result };
  const refusal = String(body.error.status).toLowerCase().replaceAll('_', '-');
  return { refusal, message: body.error.message ?? '' };
}
