import { isRecord } from '../model/jsonValues';
import type { TextKind } from '../../../texts/common/searchableText';
import { cutToSearchablePart, maxTextUnits } from '../../../texts/common/searchableText';

/** Keys of encoded data, and of data that can be found in other texts. */
const ignoredKeys: ReadonlySet<string> = new Set(
  'data,signature,encryptedContent,encrypted_content,~debug,discoveredGuidanceFiles,contentURL,mimeType,type,status,id,toolUseID'.split(
    ',',
  ),
);
/** Maximum nesting depth of values that are searched. */
const maxDepth = 12;
/** Maximum length of all texts in a value, in UTF-16 units. */
const maxUnits = 256 * 1024;

interface Budget {
  unitsLeft: number;
  readonly kind: TextKind;
}

/** Collects the texts in any JSON value, each on a new line. Long texts are truncated one by one, as those of `kind`. */
export function textsInValue(value: unknown, kind: TextKind = 'output'): string {
  if (typeof value === 'string') return cutToSearchablePart(value, kind);
  const lines: string[] = [];
  collect(value, lines, { unitsLeft: kind === 'output' ? maxUnits : maxTextUnits, kind }, 0);
  return lines.length === 1 ? (lines[0] ?? '') : lines.join('\n');
}

function collect(value: unknown, lines: string[], budget: Budget, depth: number): void {
  if (budget.unitsLeft <= 0) return;
  if (typeof value === 'string') {
    if (value === '') return;
    const line = cutToSearchablePart(value, budget.kind);
    lines.push(line);
    budget.unitsLeft -= line.length;
    return;
  }
  if (depth >= maxDepth) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, lines, budget, depth + 1);
  } else if (isRecord(value)) {
    const isImage = value['isImage'] === true || isRecord(value['imageInfo']);
    for (const key in value) {
      if (ignoredKeys.has(key) || (isImage && key === 'content')) continue;
      collect(value[key], lines, budget, depth + 1);
    }
  }
}
