import * as vscode from 'vscode';
import type { Logger } from '../../base/common/log';
import { isInside } from '../common/boundary';
import {
  EditorError,
  type Diagnostic,
  type DiagnosticsOptions,
  type DiagnosticSeverity,
  type FileDiagnostics,
  type ReadOptions,
  type TextFile,
} from '../common/editorPort';
import { LineIndex } from '../common/text/textOffsets';
import { statDisk } from '../node/diskReader';
import type { CheckedPath, PathGuard } from '../node/pathGuard';
import { checkSignal } from './documentReader';

const defaultMaxFiles = 1000;
/** Beyond this, diagnostics come without the text of their line. */
const maxTextBytes = 2 * 1024 * 1024;
const maxConcurrentReads = 8;

/** What VS Code knows of problems, with the text they stand in, also of files that are not open. */
export class DiagnosticsReader {
  constructor(
    private readonly guard: PathGuard,
    private readonly readText: (path: string, options: ReadOptions) => Promise<TextFile>,
    private readonly log: Logger,
  ) {}

  async read(path: string | undefined, options: DiagnosticsOptions = {}): Promise<FileDiagnostics[]> {
    const { maxFiles = defaultMaxFiles, signal } = options;
    checkSignal(signal);
    const scope = path === undefined ? undefined : await this.guard.check(path);
    if (scope && !scope.exists) throw new EditorError('notFound', `${path ?? ''} does not exist.`);
    if (scope && (await isFile(scope))) return await this.readFile(scope, signal);
    const found: FileDiagnostics[] = [];
    const wanted = vscode.languages
      .getDiagnostics()
      .filter(([uri, diagnostics]) => uri.scheme === 'file' && diagnostics.length > 0)
      .sort(([a], [b]) => (a.fsPath < b.fsPath ? -1 : 1))
      .values();
    const work = async (): Promise<void> => {
      for (const [uri, diagnostics] of wanted) {
        if (found.length >= maxFiles || signal?.aborted) return;
        const file = await this.guard.check(uri.fsPath).catch(() => undefined);
        if (!file || (scope && !isInside(file.realPath, scope.realPath, false))) continue;
        found.push({ path: uri.fsPath, diagnostics: await this.describe(uri, diagnostics, signal) });
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentReads }, work));
    checkSignal(signal);
    return found.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxFiles);
  }

  /** Of one file, which VS Code may know by the name that was asked for, or by its real one. */
  private async readFile({ path, realPath }: CheckedPath, signal?: AbortSignal): Promise<FileDiagnostics[]> {
    for (const name of [path, realPath]) {
      const uri = vscode.Uri.file(name);
      const diagnostics = vscode.languages.getDiagnostics(uri);
      if (diagnostics.length > 0) return [{ path, diagnostics: await this.describe(uri, diagnostics, signal) }];
    }
    return [];
  }

  private async describe(
    uri: vscode.Uri,
    diagnostics: readonly vscode.Diagnostic[],
    signal?: AbortSignal,
  ): Promise<Diagnostic[]> {
    const lines = await this.linesOf(uri, signal);
    return diagnostics.map((diagnostic) => {
      const start = lines.clamp(diagnostic.range.start);
      const end = lines.clamp(diagnostic.range.end);
      const code = codeText(diagnostic.code);
      return {
        range: { start: plain(diagnostic.range.start), end: plain(diagnostic.range.end) },
        severity: severities[diagnostic.severity],
        message: diagnostic.message,
        ...(diagnostic.source === undefined ? {} : { source: diagnostic.source }),
        ...(code === undefined ? {} : { code }),
        lineText: lines.lineText(start.line),
        startOffset: lines.offsetAt(start),
        endOffset: lines.offsetAt(end),
      };
    });
  }

  private async linesOf(uri: vscode.Uri, signal?: AbortSignal): Promise<LineIndex> {
    try {
      return new LineIndex(
        (await this.readText(uri.fsPath, { maxBytes: maxTextBytes, ...(signal ? { signal } : {}) })).text,
      );
    } catch (error) {
      this.log.debug(`Problems of ${uri.fsPath} come without its text: ${String(error)}`);
      return new LineIndex('');
    }
  }
}

async function isFile(file: CheckedPath): Promise<boolean> {
  return (await statDisk(file)).type === 'file';
}

const severities: Record<vscode.DiagnosticSeverity, DiagnosticSeverity> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'information',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

function codeText(code: vscode.Diagnostic['code']): string | undefined {
  if (code === undefined) return undefined;
  return String(typeof code === 'object' ? code.value : code);
}

function plain({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
