import * as vscode from 'vscode';
import type { Logger } from '../../base/common/log';
import { isInside } from '../common/boundary';
import {
  EditorError,
  throwIfCancelled,
  type Diagnostic,
  type DiagnosticsOptions,
  type DiagnosticSeverity,
  type FileDiagnostics,
  type ReadTextOptions,
  type TextFile,
} from '../common/editorPort';
import { LineIndex } from '../common/text/textOffsets';
import { statDisk } from '../node/diskReader';
import type { CheckedPath, PathGuard } from '../node/pathGuard';

const defaultMaxFiles = 1000;
/** Diagnostics of larger files have no line text. */
const maxTextBytes = 2 * 1024 * 1024;
const maxConcurrentReads = 8;

/** Reads VS Code's diagnostics and adds line texts and offsets. */
export class DiagnosticsReader {
  constructor(
    private readonly pathGuard: PathGuard,
    private readonly readText: (path: string, options: ReadTextOptions) => Promise<TextFile>,
    private readonly log: Logger,
  ) {}

  async read(path: string | undefined, options: DiagnosticsOptions = {}): Promise<FileDiagnostics[]> {
    const { maxFiles = defaultMaxFiles, severities, signal } = options;
    const isWanted = ({ severity }: vscode.Diagnostic): boolean =>
      severities === undefined || severities.includes(severityNames[severity]);
    throwIfCancelled(signal);
    const scope = path === undefined ? undefined : await this.pathGuard.check(path);
    if (scope && !scope.exists) throw new EditorError('notFound', `${path ?? ''} does not exist.`);
    if (scope && (await statDisk(scope)).type === 'file') return await this.readFile(scope, isWanted, signal);
    const found: FileDiagnostics[] = [];
    const wanted = vscode.languages
      .getDiagnostics()
      .map(([uri, diagnostics]) => [uri, diagnostics.filter(isWanted)] as const)
      .filter(([uri, diagnostics]) => uri.scheme === 'file' && diagnostics.length > 0)
      .sort(([a], [b]) => (a.fsPath < b.fsPath ? -1 : 1))
      .values();
    const work = async (): Promise<void> => {
      for (const [uri, diagnostics] of wanted) {
        if (found.length >= maxFiles || signal?.aborted) return;
        const file = await this.pathGuard.check(uri.fsPath).catch(() => undefined);
        if (!file || (scope && !isInside(file.realPath, scope.realPath, false))) continue;
        found.push({ path: uri.fsPath, diagnostics: await this.toDiagnostics(uri, diagnostics, signal) });
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentReads }, work));
    throwIfCancelled(signal);
    return found.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxFiles);
  }

  /** Reads the diagnostics under the requested path and the real path, because VS Code may have them under either. */
  private async readFile(
    { path, realPath }: CheckedPath,
    isWanted: (diagnostic: vscode.Diagnostic) => boolean,
    signal?: AbortSignal,
  ): Promise<FileDiagnostics[]> {
    for (const name of [path, realPath]) {
      const uri = vscode.Uri.file(name);
      const diagnostics = vscode.languages.getDiagnostics(uri).filter(isWanted);
      if (diagnostics.length > 0) return [{ path, diagnostics: await this.toDiagnostics(uri, diagnostics, signal) }];
    }
    return [];
  }

  private async toDiagnostics(
    uri: vscode.Uri,
    diagnostics: readonly vscode.Diagnostic[],
    signal?: AbortSignal,
  ): Promise<Diagnostic[]> {
    const lines = await this.readLines(uri, signal);
    return diagnostics.map((diagnostic) => {
      const start = lines.clamp(diagnostic.range.start);
      const end = lines.clamp(diagnostic.range.end);
      const code = codeText(diagnostic.code);
      return {
        range: { start: toPosition(diagnostic.range.start), end: toPosition(diagnostic.range.end) },
        severity: severityNames[diagnostic.severity],
        message: diagnostic.message,
        ...(diagnostic.source === undefined ? {} : { source: diagnostic.source }),
        ...(code === undefined ? {} : { code }),
        lineText: lines.lineText(start.line),
        startOffset: lines.offsetAt(start),
        endOffset: lines.offsetAt(end),
      };
    });
  }

  private async readLines(uri: vscode.Uri, signal?: AbortSignal): Promise<LineIndex> {
    try {
      return new LineIndex(
        (await this.readText(uri.fsPath, { fromBuffer: 'asIs', maxBytes: maxTextBytes, ...(signal ? { signal } : {}) }))
          .text,
      );
    } catch (error) {
      this.log.debug(`Could not read ${uri.fsPath} for its diagnostics: ${String(error)}`);
      return new LineIndex('');
    }
  }
}

const severityNames: Record<vscode.DiagnosticSeverity, DiagnosticSeverity> = {
  [vscode.DiagnosticSeverity.Error]: 'error',
  [vscode.DiagnosticSeverity.Warning]: 'warning',
  [vscode.DiagnosticSeverity.Information]: 'information',
  [vscode.DiagnosticSeverity.Hint]: 'hint',
};

function codeText(code: vscode.Diagnostic['code']): string | undefined {
  if (code === undefined) return undefined;
  return String(typeof code === 'object' ? code.value : code);
}

function toPosition({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}
