/**
 * Lets the event loop of this process go round so often: what was written to a socket of this process has been read then,
 * and whatever that set off has happened. For what tells of nothing when it is done.
 */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
