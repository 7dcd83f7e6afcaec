import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { findRipgrep } from '../../src/tools/vscode/ripgrepProgram';
import { benchLineOf } from '../lib/benchLine';
import { createReferenceWorkspace, type ReferenceQuestion } from '../lib/tools/referenceWorkspace';
import { retryFor, runBench, withTools, type BenchTools } from './support/inHost';

/** How long VS Code may take to load 2,000 files. */
const loadTimeoutMs = 240_000;
const maxPages = 20;

/** Ripgrep patterns that a model would try for a name. */
const patterns: Readonly<Record<string, (name: string) => string>> = {
  'the word': (name) => String.raw`\b${name}\b`,
  'the word, not in comments': (name) => String.raw`^(?!\s*(?://|/?\*)).*\b${name}\b`,
  'the word, not in comments, strings or members': (name) =>
    String.raw`^(?:[^'"\x60/]|/(?![/*])|'[^']*'|"[^"]*")*?(?<!\.)\b${name}\b(?!:)`,
  'imports, exports, calls and types': (name) =>
    String.raw`\b(?:import|export)\b[^'"\x60]*\b${name}\b|\bnew ${name}\b|:\s*${name}\b|(?<![.'"\x60\w] )\b${name}\(`,
  'imports and calls': (name) => String.raw`^import\b.*\b${name}\b|\b${name}\(`,
};

interface Answered {
  readonly rightCount: number;
  readonly bytes: number;
}

export async function run(): Promise<void> {
  await runBench(async (print) => {
    const { questions } = createReferenceWorkspace();
    await withTools(async (tools) => {
      const ours = await askTool(tools, questions, print);
      const program = await findRipgrep();
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      if (program === undefined || folder === undefined) throw new Error('There is no ripgrep, or no folder.');
      let best: (Answered & { readonly title: string }) | undefined;
      for (const [title, patternOf] of Object.entries(patterns)) {
        const answered = await askRipgrep(program, folder, questions, patternOf);
        print(`ripgrep, ${title}: ${answered.rightCount} right, ${answered.bytes} bytes`);
        const { bytes, rightCount } = answered;
        const isEqual = rightCount === best?.rightCount;
        if (!best || rightCount > best.rightCount || (isEqual && bytes < best.bytes)) best = { ...answered, title };
      }
      if (!best) throw new Error('There are no patterns.');
      const name = `ripgrep: ${best.title}`;
      const percent = ({ rightCount }: Answered): number => (100 * rightCount) / questions.length;
      print(
        benchLineOf({
          bench: 'tools.references.right',
          value: percent(ours),
          unit: '% right',
          peer: { name, value: percent(best) },
          bar: 100,
          barOf: 'value',
          better: 'higher',
        }),
      );
      const peer = { name, value: best.bytes };
      print(
        benchLineOf({ bench: 'tools.references.bytes', value: ours.bytes, unit: 'B', peer, bar: 0.2, better: 'lower' }),
      );
    });
  });
}

async function askTool(
  { call, startSession }: BenchTools,
  questions: readonly ReferenceQuestion[],
  print: (line: string) => void,
): Promise<Answered> {
  const ask = async (question: ReferenceQuestion): Promise<{ lines: Set<string>; bytes: number }> => {
    const { line, path, symbol } = question;
    const lines = new Set<string>();
    let bytes = 0;
    for (let page = 1; page <= maxPages; page++) {
      const text = await call('references', { path, symbol, line, page });
      bytes += Buffer.byteLength(text);
      addListedLines(text, lines);
      if (!text.includes(`: page ${page + 1} of`)) break;
    }
    return { lines, bytes };
  };
  const [first] = questions;
  if (!first) throw new Error('There are no questions.');
  const startedAtMs = performance.now();
  await retryFor(loadTimeoutMs, async () => {
    if (!isSame((await ask(first)).lines, first.lines))
      throw new Error('The language server has not loaded all files.');
  }).catch((error: unknown) => print(String(error)));
  print(`The first answer took ${Math.round(performance.now() - startedAtMs)} ms.`);
  let rightCount = 0;
  let bytes = 0;
  for (const question of questions) {
    await startSession();
    const answer = await ask(question);
    bytes += answer.bytes;
    if (isSame(answer.lines, question.lines)) rightCount++;
    else print(`Wrong for ${question.symbol} of ${question.path}: ${describeDifference(answer.lines, question.lines)}`);
  }
  return { rightCount, bytes };
}

async function askRipgrep(
  program: string,
  folder: string,
  questions: readonly ReferenceQuestion[],
  patternOf: (name: string) => string,
): Promise<Answered> {
  let rightCount = 0;
  let bytes = 0;
  const outputByName = new Map<string, string>();
  for (const { lines, symbol } of questions) {
    const output = outputByName.get(symbol) ?? (await searchText(program, folder, patternOf(symbol)));
    outputByName.set(symbol, output);
    bytes += Buffer.byteLength(output);
    const found = new Set<string>();
    addListedLines(output, found);
    if (isSame(found, lines)) rightCount++;
  }
  return { rightCount, bytes };
}

async function searchText(program: string, folder: string, pattern: string): Promise<string> {
  const args = ['--pcre2', '--heading', '--line-number', '--no-config', '--type', 'ts', '--regexp', pattern, 'src'];
  const options = { cwd: folder, maxBuffer: 64 * 1_024 * 1_024 };
  try {
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    // Ripgrep ends with 1 if nothing was found.
    if (error instanceof Error && 'code' in error && error.code === 1) return '';
    throw error;
  }
}

/** Reads both formats: a file in a line of its own, then its lines. */
function addListedLines(text: string, lines: Set<string>): void {
  let file = '';
  for (const row of text.split('\n')) {
    const line = /^\s*(\d+):/.exec(row)?.[1];
    if (line !== undefined) lines.add(`${file}:${line}`);
    else if (/^\S+\.ts$/.test(row)) file = row;
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

function describeDifference(found: ReadonlySet<string>, right: ReadonlySet<string>): string {
  const missing = [...right].filter((each) => !found.has(each));
  const wrong = [...found].filter((each) => !right.has(each));
  return `missing ${missing.join(' ')}; wrong ${wrong.join(' ')}`;
}
