import * as z from 'zod/mini';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { parseJson } from '../../../base/common/parseJson';
import { splitLines } from '../../../changes/common/review/lines';
import type { ChangedFile } from './changesToReview';

/** What a reviewing agent says about lines of a changed file. Its text is not trusted. */
export interface Finding {
  /** Absolute path. */
  readonly path: string;
  /** The text of the file that was reviewed, and its 0-based lines; `end` is the line after the last one. */
  readonly reviewedText: string;
  readonly lines: { readonly start: number; readonly end: number };
  readonly text: string;
}

interface ParsedFindings {
  readonly findings: readonly Finding[];
  /** How many name no line of a changed file. They can only be read in the conversation. */
  readonly unplacedCount: number;
}

const StoredFinding = z.object({
  file: z.string(),
  line: z.int(),
  endLine: z.optional(z.int()),
  text: z.string(),
  severity: z.optional(z.string()),
});
const severities: Readonly<Record<string, string>> = { error: 'Error', warning: 'Warning', note: 'Note' };

/** More would hide the code. */
const maxFindings = 200;
const maxTextUnits = 4_000;

/** Reads the findings of an answer: the arrays in its blocks of JSON. Only lines of files that were reviewed count. */
export function parseFindings(answer: string, files: readonly ChangedFile[]): ParsedFindings {
  const fileByShownPath = new Map(files.map((file) => [file.shownPath, file]));
  const findings: Finding[] = [];
  const known = new Set<string>();
  let unplacedCount = 0;
  for (const given of jsonItems(answer)) {
    const parsed = StoredFinding.safeParse(given).data;
    if (!parsed || parsed.text.trim() === '') continue;
    const finding = findings.length < maxFindings ? place(parsed, fileByShownPath) : undefined;
    const key = finding && JSON.stringify([finding.path, finding.lines, finding.text]);
    if (!finding || key === undefined) unplacedCount++;
    else if (known.size < known.add(key).size) findings.push(finding);
  }
  return { findings, unplacedCount };
}

function jsonItems(answer: string): unknown[] {
  return [...answer.matchAll(/^[ \t]*(`{3,})json[ \t]*\r?\n([^]*?)^[ \t]*\1[ \t]*$/gim)].flatMap(([, , json = '']) => {
    const items = parseJson(json);
    return Array.isArray(items) ? (items as unknown[]) : [];
  });
}

function place(
  { endLine, file, line, severity = '', text }: z.infer<typeof StoredFinding>,
  fileByShownPath: ReadonlyMap<string, ChangedFile>,
): Finding | undefined {
  const changed = fileByShownPath.get(file.replaceAll('\\', '/').replace(/^\.\//, ''));
  if (typeof changed?.after !== 'string') return undefined;
  const lineCount = splitLines(changed.after).length;
  if (line < 1 || line > lineCount) return undefined;
  const end = Math.min(lineCount, Math.max(line, endLine ?? line));
  const said = showHiddenCharacters(text.trim()).slice(0, maxTextUnits).toWellFormed();
  const label = severities[severity.toLowerCase()];
  return {
    path: changed.path,
    reviewedText: changed.after,
    lines: { start: line - 1, end },
    text: label === undefined ? said : `${label}: ${said}`,
  };
}
