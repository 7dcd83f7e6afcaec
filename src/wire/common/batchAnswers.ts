interface Batch {
  /** Number of requests without an answer. */
  open: number;
  readonly answers: object[];
}

type Message = Readonly<Record<string, unknown>>;

/** Collects the answers to each JSON-RPC batch, because they are sent together as one array. */
export class BatchAnswers {
  private readonly batchById = new Map<string | number, Batch>();

  /** Call for each batch before its messages are delivered. */
  add(messages: readonly Message[]): void {
    const requests = messages.filter(({ method }) => typeof method === 'string');
    const ids = requests.flatMap(({ id }) => (typeof id === 'string' || typeof id === 'number' ? [id] : []));
    const batch: Batch = { open: ids.length, answers: [] };
    for (const id of ids) this.batchById.set(id, batch);
  }

  /**
   * Returns the data to send for a message: the message itself, all answers of its batch, or undefined while others are
   * missing. An answer that cannot be serialized does not count, so that an error can take its place.
   * @throws TypeError
   */
  take(message: object): object | undefined {
    if (this.batchById.size === 0 || !('id' in message) || 'method' in message) return message;
    const { id } = message;
    if (typeof id !== 'string' && typeof id !== 'number') return message;
    const batch = this.batchById.get(id);
    if (!batch) return message;
    JSON.stringify(message);
    batch.answers.push(message);
    batch.open--;
    if (batch.open > 0) return undefined;
    for (const [key, its] of this.batchById) if (its === batch) this.batchById.delete(key);
    return batch.answers;
  }
}
