import { copyFile, open, stat, utimes } from 'node:fs/promises';

/**
 * Sets the modification time of an index. Git compares the contents of files that are not older than the index. Returns
 * whether the index exists.
 */
export async function setIndexTime(index: string, ms: number): Promise<boolean> {
  const time = Math.max(Math.floor(ms / 1_000), 1);
  return await utimes(index, time, time).then(
    () => true,
    () => false,
  );
}

/** Returns the checksum at the end of an index. Undefined if the index has none. */
export async function readIndexChecksum(index: string): Promise<string | undefined> {
  const handle = await open(index).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(20), 0, 20, Math.max(size - 20, 0));
    return `${size}:${buffer.toString('hex', 0, bytesRead)}`;
  } finally {
    await handle.close();
  }
}

export async function copyIndex(from: string, to: string): Promise<void> {
  const info = await stat(from).catch(() => undefined);
  if (!info) return;
  await copyFile(from, to);
  await utimes(to, info.mtimeMs / 1_000, info.mtimeMs / 1_000);
}
