import { isRecord } from '../model/jsonValues';
import { searchedPart } from './searchedText';

/** What people cannot read, or what is said elsewhere. */
const unsearched: ReadonlySet<string> = new Set(
  'data,signature,encryptedContent,encrypted_content,~debug,discoveredGuidanceFiles,contentURL,mimeType,type,status,id,toolUseID'.split(
    ',',
  ),
);
/** Below that nothing is looked for. */
const maxDepth = 12;
/** Of all texts in one value, in UTF-16 units. */
const maxUnits = 256 * 1024;

/**
 * What can be found of the texts in JSON of any shape, a line or more for each, without what is encoded. Long ones are cut
 * one by one, so that what comes after them can be found.
 */
export function textsInValue(value: unknown): string {
  if (typeof value === 'string') return searchedPart(value, 'output');
  const lines: string[] = [];
  collect(value, lines, { left: maxUnits }, 0);
  return lines.length === 1 ? (lines[0] ?? '') : lines.join('\n');
}

function collect(value: unknown, lines: string[], units: { left: number }, depth: number): void {
  if (units.left <= 0) return;
  if (typeof value === 'string') {
    if (value === '') return;
    const line = searchedPart(value, 'output');
    lines.push(line);
    units.left -= line.length;
    return;
  }
  if (depth >= maxDepth) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, lines, units, depth + 1);
  } else if (isRecord(value)) {
    const isImage = value['isImage'] === true || isRecord(value['imageInfo']);
    for (const key in value) {
      if (unsearched.has(key) || (isImage && key === 'content')) continue;
      collect(value[key], lines, units, depth + 1);
    }
  }
}
