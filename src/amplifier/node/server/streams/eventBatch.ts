/** Maximum size of a batch in UTF-16 units: large for efficient writes, small for a slow subscriber's buffer. */
const maxLength = 256 * 1024;

/** Events that are sent in one write. All subscribers at the same position share the batch. */
export class EventBatch {
  private cachedServerSentEvents: Buffer | undefined;
  private cachedWebSocketMessages: readonly string[] | undefined;

  private constructor(
    /** Sequence number of the first event. Undefined for a message that is not an event of the session. */
    readonly firstSequence: number | undefined,
    /** Sequence number of the event after the batch. */
    readonly nextSequence: number,
    private readonly eventJsons: readonly string[],
  ) {}

  /** Collects events, starting with the sequence number `sequence`, up to the size limit. */
  static collectFrom(eventJsonBySequence: ReadonlyMap<number, string>, sequence: number): EventBatch {
    const jsons: string[] = [];
    let next = sequence;
    for (let length = 0; length < maxLength; next++) {
      const json = eventJsonBySequence.get(next);
      if (json === undefined) break;
      jsons.push(json);
      length += json.length;
    }
    return new EventBatch(sequence, next, jsons);
  }

  static createUnnumbered(json: string, nextSequence: number): EventBatch {
    return new EventBatch(undefined, nextSequence, [json]);
  }

  /** The batch as Server-Sent Events. When a client reconnects, it returns the last id as Last-Event-ID. */
  get serverSentEvents(): Buffer {
    this.cachedServerSentEvents ??= Buffer.from(
      this.eventJsons.map((json, index) => `${this.eventIdLine(index)}data: ${json}\n\n`).join(''),
    );
    return this.cachedServerSentEvents;
  }

  /** The batch as WebSocket messages. The id is an additional member of each message. */
  get webSocketMessages(): readonly string[] {
    this.cachedWebSocketMessages ??= this.eventJsons.map((json, index) => {
      const id = this.eventIdAt(index);
      return id === undefined ? json : `${json.slice(0, -1)},"id":${id}}`;
    });
    return this.cachedWebSocketMessages;
  }

  private eventIdLine(index: number): string {
    const id = this.eventIdAt(index);
    return id === undefined ? '' : `id: ${id}\n`;
  }

  private eventIdAt(index: number): number | undefined {
    return this.firstSequence === undefined ? undefined : this.firstSequence + index;
  }
}
