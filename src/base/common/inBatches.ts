interface BatchLimits {
  readonly maxItems: number;
  /** A batch ends with the item that reaches it. */
  readonly maxBytes: number;
}

/** Splits items into batches, in their order. No batch is empty. */
export function* inBatches<T>(
  items: Iterable<T>,
  bytesOf: (item: T) => number,
  { maxBytes, maxItems }: BatchLimits,
): Generator<readonly T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    batch.push(item);
    bytes += bytesOf(item);
    if (batch.length < maxItems && bytes < maxBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
