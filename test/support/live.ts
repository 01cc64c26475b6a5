import type { LiveEvents } from '../../contract/live.ts';
import type { Person, Site } from './site.ts';

export type LiveEvent = {
  [Name in keyof LiveEvents]: { name: Name; data: LiveEvents[Name] };
}[keyof LiveEvents];

/** Reads the events of `GET /live` one after another. */
export class LiveStream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = '';

  constructor(response: Response) {
    if (response.body === null) throw new Error(`There is no stream: ${response.status}`);
    this.#reader = response.body.getReader();
  }

  /** The next event; undefined once the stream has ended. */
  async next(): Promise<LiveEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n');
        this.#text = this.#text.slice(end + 2);
        const name = lines.find(line => line.startsWith('event: '))?.slice(7);
        const data = lines.find(line => line.startsWith('data: '))?.slice(6);
        if (name !== undefined && data !== undefined) return { name, data: JSON.parse(data) } as LiveEvent;
        continue;
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** Skips to the next event of a kind. Throws when the stream ends before. */
  async until<Name extends keyof LiveEvents>(name: Name): Promise<LiveEvents[Name]> {
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error(`The stream ended without ${name}.`);
      if (event.name === name) return event.data as LiveEvents[Name];
    }
  }

  async take(count: number): Promise<LiveEvent[]> {
    const events: LiveEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) break;
      events.push(event);
    }
    return events;
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}

/** Opens the stream of a person who follows these posts. Throws if it is refused. */
export async function openLive(site: Site, as: Person, ...postIds: string[]): Promise<LiveStream> {
  const response = await site.request(`/live?${postIds.map(id => `post=${id}`).join('&')}`, as);
  if (response.status !== 200) throw new Error(`The stream was refused: ${response.status}`);
  return new LiveStream(response);
}
