/** Enough to make a write worth its while, little enough for a slow subscriber to hold. */
const maxLength = 256 * 1024;

/** Events that go to a subscriber in one write. Subscribers at the same place share it, and its bytes. */
export class EventBatch {
  private bytes: Buffer | undefined;
  private texts: readonly string[] | undefined;

  private constructor(
    /** Sequence of the first event; undefined for what is no event of the session. */
    readonly first: number | undefined,
    /** Sequence of what follows. */
    readonly next: number,
    private readonly jsons: readonly string[],
  ) {}

  /** The events from `sequence` on, as many as make a batch. */
  static of(kept: ReadonlyMap<number, string>, sequence: number): EventBatch {
    const jsons: string[] = [];
    let next = sequence;
    for (let length = 0; length < maxLength; next++) {
      const json = kept.get(next);
      if (json === undefined) break;
      jsons.push(json);
      length += json.length;
    }
    return new EventBatch(sequence, next, jsons);
  }

  static unnumbered(json: string, next: number): EventBatch {
    return new EventBatch(undefined, next, [json]);
  }

  /** As Server-Sent Events; the id is what comes back as Last-Event-ID. */
  get serverSentEvents(): Buffer {
    this.bytes ??= Buffer.from(this.jsons.map((json, at) => `${this.idLine(at)}data: ${json}\n\n`).join(''));
    return this.bytes;
  }

  /** As messages of a WebSocket: what the events above say, with the same id as one more member. */
  get messages(): readonly string[] {
    this.texts ??= this.jsons.map((json, at) => {
      const id = this.idAt(at);
      return id === undefined ? json : `${json.slice(0, -1)},"id":${id}}`;
    });
    return this.texts;
  }

  private idLine(at: number): string {
    const id = this.idAt(at);
    return id === undefined ? '' : `id: ${id}\n`;
  }

  private idAt(at: number): number | undefined {
    return this.first === undefined ? undefined : this.first + at;
  }
}
