import { oneLine } from '../../../base/common/text/oneLine';

/** Returns a file name without extension. Returns `fallback` if the title has no usable characters. */
export function exportFileName(title: string, fallback: string): string {
  const plain = oneLine(title.replace(/[^\p{L}\p{N} _-]+/gu, ' ')).slice(0, 60);
  return plain === '' ? fallback : plain;
}
