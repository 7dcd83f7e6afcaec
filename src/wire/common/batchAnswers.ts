interface Batch {
  /** Number of requests without an answer. */
  open: number;
  readonly answers: object[];
}

type Message = Readonly<Record<string, unknown>>;

/** Collects the answers to each JSON-RPC batch, because they are sent together as one array. */
export class BatchAnswers {
  /** The batches that wait for an answer with an id, once for each request. Normally, an id is used once. */
  private readonly openBatchesByRequestId = new Map<string | number, Batch[]>();

  /** Call for each batch before its messages are delivered. */
  addBatch(messages: readonly Message[]): void {
    const requests = messages.filter(({ method }) => typeof method === 'string');
    const ids = requests.flatMap(({ id }) => (typeof id === 'string' || typeof id === 'number' ? [id] : []));
    const batch: Batch = { open: ids.length, answers: [] };
    for (const id of ids) this.openBatchesByRequestId.set(id, [...(this.openBatchesByRequestId.get(id) ?? []), batch]);
  }

  /**
   * Returns the data to send for a message: the message itself, all answers of its batch, or undefined while others are
   * missing. An answer that cannot be serialized does not count, so that an error can take its place.
   * @throws TypeError
   */
  takeDataToSend(message: object): object | undefined {
    if (this.openBatchesByRequestId.size === 0 || !('id' in message) || 'method' in message) return message;
    const { id } = message;
    if (typeof id !== 'string' && typeof id !== 'number') return message;
    const batches = this.openBatchesByRequestId.get(id);
    // A request with an id that is in use is refused at once, so the first answer is for the last request.
    const batch = batches?.at(-1);
    if (!batches || !batch) return message;
    JSON.stringify(message);
    if (batches.length === 1) this.openBatchesByRequestId.delete(id);
    else batches.pop();
    batch.answers.push(message);
    batch.open--;
    return batch.open > 0 ? undefined : batch.answers;
  }
}
