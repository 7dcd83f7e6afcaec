import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { filterAccessibleFiles } from '../search/accessibleFiles';
import { displayPath } from '../text/displayPath';
import { truncateText } from '../text/lineTexts';
import type { ToolPorts } from '../toolPorts';

/** Limit of an answer, in UTF-16 units. */
const maxLength = 16_000;
const maxLineLength = 1_000;

const pathAttribute = /\bpath="([^"\n]*)"/;
const place = /^<(?:stackFrame|location) path="([^"\n]*)"(?: line="(\d+)")?/;
const failure = /^<testFailure name=("(?:[^"\\]|\\.)*") path=("(?:[^"\\]|\\.)*")>$/;
const titles: Readonly<Record<string, string>> = {
  '<expectedOutput>': '  expected:',
  '<actualOutput>': '  actual:',
  '<message>': '',
  '<output>': 'Output:',
};

/** Answers of VS Code that mention its own tools. They are replaced, because our tools have other names and inputs. */
const knownTexts = [
  {
    begin: 'No tests found in the files.',
    text: 'VS Code has found no such tests. The extension for the test runner may be missing or still searching, or the tests have other names: use list.',
  },
  {
    begin: 'No test run was started.',
    text: 'VS Code started no run. The extension for the test runner may need to be configured by the user.',
  },
  { begin: 'No test failures were found yet', text: 'No tests were run in this window yet.' },
];

/**
 * Shortens VS Code's test results, and omits places in files that agents must not see. Lines in other formats stay
 * unchanged.
 */
export async function describeTestResults(
  results: string,
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<string> {
  const known = knownTexts.find(({ begin }) => results.startsWith(begin));
  if (known) return known.text;
  const lines = results.split('\n');
  const paths = new Set(lines.flatMap((line) => pathOf(line) ?? []));
  const files = await filterAccessibleFiles([...paths], editor, signal);
  const visible = new Set(files.paths);
  // Stack frames in libraries are omitted. Other lines with paths outside the workspace are kept, because they may be
  // values that a test compares.
  const allowed = new Set([...files.paths, ...files.outside]);
  const rows: string[] = [];
  let length = 0;
  for (const line of lines) {
    const path = pathOf(line);
    const isPlace = place.test(line);
    if (path !== undefined && !(isPlace ? visible : allowed).has(path)) continue;
    const row = path === undefined ? rowOf(line) : placeRow(line, displayPath(path, editor));
    if (row === undefined) continue;
    // A test that fails in several ways can contain the same place several times.
    if (isPlace && row === rows.at(-1)) continue;
    length += row.length + 1;
    if (length > maxLength) return [...rows, '… and more. Run fewer tests to see the others.'].join('\n');
    rows.push(row);
  }
  return rows.join('\n');
}

/** Returns the absolute path in a line. Undefined for the path of a failed test, which consists of test names. */
function pathOf(line: string): string | undefined {
  if (failure.test(line)) return undefined;
  return pathAttribute.exec(line)?.[1];
}

function placeRow(line: string, name: string): string {
  const [, , at] = place.exec(line) ?? [];
  if (!place.test(line)) return truncateText(line, maxLineLength);
  return `  at ${name}${at === undefined ? '' : `:${at}`}`;
}

/** Returns undefined for a line without information. */
function rowOf(line: string): string | undefined {
  const summary = /^<summary passed=(\d+) failed=(\d+) \/>$/.exec(line);
  if (summary) return `${summary[1]} passed, ${summary[2]} failed. VS Code does not count skipped tests.`;
  const failed = failure.exec(line);
  if (failed) {
    const [, name = '', path = ''] = failed;
    const names = [textOf(path), textOf(name)].filter((each) => each !== '');
    return `Failed: ${truncateText(names.join(' > '), maxLineLength)}`;
  }
  const [, frame] = /^<stackFrame>(.*)<\/stackFrame>$/.exec(line) ?? [];
  if (frame !== undefined) return `  at ${truncateText(frame, maxLineLength)}`;
  const title = titles[line.trim()];
  if (title !== undefined) return title === '' ? undefined : title;
  if (/^<\/\w+>$/.test(line.trim()) || line.trim() === '') return undefined;
  return `  ${truncateText(line.trimEnd(), maxLineLength)}`;
}

function textOf(json: string): string {
  return z.string().safeParse(parseJson(json)).data ?? json;
}
