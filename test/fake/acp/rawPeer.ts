import type { DuplexEnd } from './duplex';

type Raw = Record<string, unknown>;

/** The other end of a draft connection, written down to the wire: what it gets and gives are the messages themselves. */
export class RawPeer {
  /** Requests that came in. */
  readonly requests: Raw[] = [];
  /** What it answers by method, given the params: a whole answer but for the id. Not listed ones are never answered. */
  readonly answers = new Map<string, (params: unknown) => Promise<Raw> | Raw>();
  private readonly waiting = new Map<unknown, (answer: Raw) => void>();
  private readonly watchers = new Set<() => void>();
  private nextId = 0;

  constructor(private readonly end: DuplexEnd) {
    end.onMessage((message) => {
      if (typeof message['method'] !== 'string') {
        this.waiting.get(message['id'])?.(message);
        return;
      }
      this.requests.push(message);
      void this.answer(message['id'], message['method'], message['params']);
      for (const resume of this.watchers) resume();
      this.watchers.clear();
    });
  }

  /** Sends the message as it is and resolves with the answer to its id. */
  send(message: Raw): Promise<Raw> {
    return new Promise((resolve, reject) => {
      this.waiting.set(message['id'], resolve);
      this.end.send(message).catch(reject);
    });
  }

  ask(method: string, params: unknown): Promise<Raw> {
    return this.send({ id: this.nextId++, method, params });
  }

  /** The params of the next request of this method that has not been taken, once it comes. */
  async take(method: string): Promise<unknown> {
    for (;;) {
      const at = this.requests.findIndex((request) => request['method'] === method);
      if (at >= 0) return this.requests.splice(at, 1)[0]?.['params'];
      await new Promise<void>((resolve) => this.watchers.add(resolve));
    }
  }

  close(): void {
    this.end.dispose();
  }

  private async answer(id: unknown, method: string, params: unknown): Promise<void> {
    const answer = await this.answers.get(method)?.(params);
    if (answer) await this.end.send({ id, ...answer });
  }
}
