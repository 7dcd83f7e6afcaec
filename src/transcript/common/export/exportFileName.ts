import { oneLine } from '../../../base/common/oneLine';

/** A name for an exported file, without its extension; `fallback` when the title has nothing to make one of. */
export function exportFileName(title: string, fallback: string): string {
  const plain = oneLine(title.replace(/[^\p{L}\p{N} _-]+/gu, ' ')).slice(0, 60);
  return plain === '' ? fallback : plain;
}
