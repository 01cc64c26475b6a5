import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { postsPerStream } from '../../contract/constants.ts';
import { followPost, followViewer, streamAddress } from './live.ts';

it('the stream of a page names no more posts than the server accepts, those opened last', () => {
  const ids = Array.from({ length: postsPerStream + 2 }, (_, index) => `p${index}`);
  const named = new URL(streamAddress(ids), 'http://site.invalid').searchParams.getAll('post');
  expect(named).toEqual(ids.slice(2));
  expect(streamAddress([])).toBe('/live?');
});

/** A browser's stream. After `lose` the browser tries again by itself, unless the server refused it. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static opened: Stream[] = [];
  readyState = 1;
  constructor() {
    super();
    Stream.opened.push(this);
  }
  close() {
    this.readyState = Stream.CLOSED;
  }
  lose(readyState: number) {
    this.readyState = readyState;
    this.dispatchEvent(new Event('error'));
  }
}

describe('the stream of a page', () => {
  const heard: string[] = [];
  const page = new EventTarget();
  let leave = () => {};
  /** The streams that are open. */
  const open = () => Stream.opened.filter(({ readyState }) => readyState === 1);
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: false }));
    vi.stubGlobal('window', Object.assign(page, { setTimeout, clearTimeout }));
    vi.stubGlobal('EventSource', Stream);
    Stream.opened = [];
    heard.length = 0;
    const stops = [
      followViewer({ onViewer: () => heard.push('viewer'), onRefused: () => heard.push('refused') }),
      followPost('p', {
        onState: () => heard.push('state'),
        onChange: () => {},
        onGone: () => {},
        onDisconnected: () => heard.push('disconnected'),
      }),
    ];
    leave = () => {
      for (const stop of stops) stop();
    };
    await pass(0);
  });

  afterEach(() => {
    leave();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('a refused stream makes the page ask for its viewer and comments, and try again later', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    open()[0]?.lose(Stream.CLOSED);
    expect(heard).toEqual(['disconnected', 'refused']);
    await pass(14_999);
    expect(open()).toHaveLength(0);
    await pass(1);
    expect(open()).toHaveLength(1);
  });

  it('pages whose streams were lost ask for nothing before their next stream', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    open()[0]?.dispatchEvent(new MessageEvent('viewer', { data: '{}' }));
    open()[0]?.lose(0);
    expect(heard).toEqual(['viewer']);
    await pass(1_250);
    open()[0]?.lose(0);
    expect(heard).toEqual(['viewer', 'disconnected']);
  });

  it('a page that is online again replaces its stream, which may be dead', () => {
    const [before] = open();
    page.dispatchEvent(new Event('online'));
    expect(before?.readyState).toBe(Stream.CLOSED);
    expect(open()).toHaveLength(1);
  });
});
