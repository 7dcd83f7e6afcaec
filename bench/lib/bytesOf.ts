import type { RawData } from 'ws';

/** A message as `ws` gives it unless it is told otherwise. */
export function bytesOf(data: RawData): Buffer {
  if (!Buffer.isBuffer(data)) throw new Error('ws gave no buffer.');
  return data;
}
