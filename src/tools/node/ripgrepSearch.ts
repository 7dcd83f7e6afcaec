import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import * as path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import { parseJson } from '../../base/common/parseJson';
import { isInsideFolder } from '../../base/node/isInsideFolder';
import { messageOf } from '../../base/common/errors';
import type { LineMatch, FileMatches, TextQuery, TextSearch } from '../common/search/textSearch';
import { ToolError } from '../common/toolError';
import { literalFolderOf, includeFilter } from '../common/search/includeFilter';

interface RipgrepDeps {
  /** Absolute path of ripgrep. */
  readonly program: string;
  /** Absolute paths. */
  readonly folders: () => readonly string[];
  /** Globs that the user excludes from searches. */
  readonly hiddenGlobs: () => readonly string[];
  readonly unsavedFiles: () => readonly { readonly path: string; readonly text: string }[];
}

const maxFileSize = '8M';
const maxMatchesPerFile = 500;
const maxUnsaved = 200;
/** Limit of a returned line, in UTF-16 units. */
const maxLineLength = 2_000;
/** Limit of an output line, in UTF-16 units; it contains the whole line of code. */
const maxOutputLineLength = 1_000_000;

const Text = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), data: z.object({ path: Text.nullish() }) }),
  z.object({
    type: z.literal('match'),
    data: z.object({
      lines: Text,
      line_number: z.number().int().min(1).nullish(),
      submatches: z.array(z.object({ start: z.number().int().min(0) })),
    }),
  }),
  z.object({ type: z.literal('end') }),
]);

type RipgrepProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Searches text with VS Code's ripgrep. Each search ends its own processes. */
export class RipgrepSearch implements TextSearch {
  constructor(private readonly deps: RipgrepDeps) {}

  async *findText(query: TextQuery, signal: AbortSignal): AsyncGenerator<FileMatches> {
    const unsaved = new Map(this.deps.unsavedFiles().map(({ path: file, text }) => [file, text]));
    const isWanted = includeFilter(query.include);
    const isWantedIn = (folder: string, file: string): boolean => isWanted(toSlashes(path.relative(folder, file)));
    const seen = new Set<string>();
    const folders = this.deps.folders();
    for (const [file, text] of [...unsaved].slice(0, maxUnsaved)) {
      const folder = folders.find((each) => isInsideFolder(file, each));
      if (folder === undefined || !isWantedIn(folder, file)) continue;
      const args = [...patternArguments(query), '--', '-'];
      for await (const { matches } of this.runRipgrep(args, folder, signal, text)) yield { path: file, matches };
    }
    for (const folder of folders) {
      const globs = this.deps.hiddenGlobs().flatMap((glob) => ['--glob', `!${glob}`]);
      const args = [
        ...patternArguments(query),
        ...nameArguments(query),
        ...globs,
        '--',
        `./${literalFolderOf(query.include)}`,
      ];
      for await (const found of this.runRipgrep(args, folder, signal, undefined)) {
        const file = path.join(folder, found.path);
        if (unsaved.has(file) || seen.has(file) || !isWantedIn(folder, file)) continue;
        seen.add(file);
        yield { path: file, matches: found.matches };
      }
    }
  }

  /** Yields the files that one process finds, with paths relative to `cwd`. */
  private async *runRipgrep(
    args: readonly string[],
    cwd: string,
    signal: AbortSignal,
    input: string | undefined,
  ): AsyncGenerator<FileMatches> {
    if (signal.aborted) return;
    const child = spawn(this.deps.program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const end = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', end, { once: true });
    const failure = failureOf(child);
    try {
      child.stdin.on('error', () => undefined);
      child.stdin.end(input ?? '');
      yield* filesOf(child);
      const problem = await failure;
      if (problem !== undefined && !child.killed) throw new ToolError(problem);
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
}

function patternArguments({ pattern, isRegex, isCaseSensitive, isWholeWord }: TextQuery): string[] {
  return [
    '--json',
    '--no-config',
    '--no-messages',
    '--hidden',
    '--crlf',
    '--max-filesize',
    maxFileSize,
    '--max-count',
    String(maxMatchesPerFile),
    isCaseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(isRegex ? [] : ['--fixed-strings']),
    ...(isWholeWord ? ['--word-regexp'] : []),
    '--regexp',
    pattern,
  ];
}

/** Passes a name glob as a file type, because `--glob` would override .gitignore. */
function nameArguments({ include }: TextQuery): string[] {
  if (include === undefined || include.includes('/')) return [];
  return ['--type-add', `wanted:${include}`, '--type', 'wanted'];
}

async function* filesOf({ stdout }: RipgrepProcess): AsyncGenerator<FileMatches> {
  let file = '';
  let matches: LineMatch[] = [];
  for await (const line of createInterface({ input: stdout, crlfDelay: Infinity })) {
    if (line.length > maxOutputLineLength) continue;
    const message = Message.safeParse(parseJson(line)).data;
    if (message?.type === 'begin') {
      file = message.data.path ? textOf(message.data.path) : '';
      matches = [];
    } else if (message?.type === 'match') matches.push(lineOf(message.data));
    else if (message?.type === 'end' && matches.length > 0) yield { path: file, matches };
  }
}

function lineOf({ lines, line_number, submatches }: z.infer<(typeof Message.options)[1]>['data']): LineMatch {
  const text = textOf(lines);
  const before = Buffer.from(text, 'utf8').subarray(0, submatches[0]?.start ?? 0);
  return {
    line: (line_number ?? 1) - 1,
    character: before.toString('utf8').length,
    text: text.replace(/\r?\n[^]*$/u, '').slice(0, maxLineLength),
  };
}

/** Resolves at the end of the process with its error message, if it failed. */
async function failureOf(child: RipgrepProcess): Promise<string | undefined> {
  let errorText = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    errorText = (errorText + text).slice(0, 1_000);
  });
  try {
    const [code] = z.tuple([z.number().nullable()], z.unknown()).parse(await once(child, 'close'));
    return code === 2 && errorText.trim() !== '' ? `The search failed: ${errorText.trim()}` : undefined;
  } catch (error) {
    return `The search could not be started: ${messageOf(error)}`;
  }
}

function textOf(text: z.infer<typeof Text>): string {
  return 'text' in text ? text.text : Buffer.from(text.bytes, 'base64').toString('utf8');
}

function toSlashes(relative: string): string {
  return path.sep === '\\' ? relative.replaceAll('\\', '/') : relative;
}
