import { isRecord } from './json';

/** What people cannot read, or what is said elsewhere. */
const unsearched: ReadonlySet<string> = new Set([
  'data',
  'signature',
  'encryptedContent',
  'encrypted_content',
  '~debug',
  'discoveredGuidanceFiles',
  'contentURL',
  'mimeType',
  'type',
  'status',
  'id',
  'toolUseID',
]);
/** Below that nothing is looked for. */
const maxDepth = 12;

/**
 * The texts in JSON of any shape, a line or more for each, without what is encoded. It stops when there are about
 * `maxUnits` UTF-16 units.
 */
export function textsInValue(value: unknown, maxUnits: number): string {
  if (typeof value === 'string') return value;
  const lines: string[] = [];
  let left = maxUnits;
  const collect = (item: unknown, depth: number): void => {
    if (left <= 0) return;
    if (typeof item === 'string') {
      if (item === '') return;
      lines.push(item);
      left -= item.length;
      return;
    }
    if (depth >= maxDepth) return;
    if (Array.isArray(item)) for (const one of item) collect(one, depth + 1);
    else if (isRecord(item)) {
      const isImage = item['isImage'] === true || isRecord(item['imageInfo']);
      for (const key in item) {
        if (unsearched.has(key) || (isImage && key === 'content')) continue;
        collect(item[key], depth + 1);
      }
    }
  };
  collect(value, 0);
  return lines.join('\n');
}
