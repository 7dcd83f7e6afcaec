import { open } from 'node:fs/promises';
import { openFlags } from '../../../base/node/openFlags';

/** Returns undefined if it is not a file, too large or unreadable. Does not block on a pipe. */
export async function readSmallFile(file: string, maxBytes: number): Promise<string | undefined> {
  const bytes = await readStart(file, maxBytes + 1);
  return bytes === undefined || bytes.length > maxBytes ? undefined : bytes.toString('utf8');
}

/** Like `readSmallFile`, but returns the start of a larger file. */
export async function readStartOfFile(file: string, maxBytes: number): Promise<string | undefined> {
  return (await readStart(file, maxBytes))?.toString('utf8');
}

async function readStart(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, openFlags.O_RDONLY | openFlags.O_NONBLOCK);
    try {
      const info = await handle.stat();
      if (!info.isFile()) return undefined;
      const buffer = Buffer.alloc(Math.min(maxBytes, info.size));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
