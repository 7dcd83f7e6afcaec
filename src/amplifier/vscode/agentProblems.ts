import * as vscode from 'vscode';
import type { Diagnostic, EditorPort } from '../../editor/common/editorPort';
import type { EventData, EventDiagnostic } from '../../session/common/sessionEvents';
import type { BackendSession } from '../../session/common/sessionBackend';

/** Shows diagnostics of agents in VS Code's Problems view, until their session ends. */
export class AgentProblems implements vscode.Disposable {
  private readonly diagnosticCollection = vscode.languages.createDiagnosticCollection('backline');
  /**
   * Diagnostics by session, resolved path and serialized diagnostic. The session object is the key, because ids are not
   * unique across backends.
   */
  private readonly diagnosticsBySession = new Map<BackendSession, Map<string, Map<string, vscode.Diagnostic>>>();

  constructor(private readonly editor: Pick<EditorPort, 'resolve'>) {}

  /** Adds diagnostics to the earlier ones of the file, without duplicates. Ignores paths that peers may not access. */
  async add(session: BackendSession, { path, diagnostics }: EventData<'diagnostic:add'>): Promise<void> {
    const files = this.diagnosticsBySession.get(session) ?? new Map<string, Map<string, vscode.Diagnostic>>();
    this.diagnosticsBySession.set(session, files);
    const resolved = await this.resolvePath(path);
    // The session may have ended in the meantime.
    if (resolved === undefined || this.diagnosticsBySession.get(session) !== files) return;
    const found = files.get(resolved) ?? new Map<string, vscode.Diagnostic>();
    files.set(resolved, found);
    for (const diagnostic of diagnostics.map(toDiagnostic)) found.set(JSON.stringify(diagnostic), diagnostic);
    this.showDiagnosticsOfFile(resolved);
  }

  /** Clears the diagnostics of a file. Without a path, clears all diagnostics of the session. */
  async clear(session: BackendSession, { path }: EventData<'diagnostic:clear'>): Promise<void> {
    if (path === undefined) {
      this.clearSession(session);
      return;
    }
    const resolved = await this.resolvePath(path);
    if (resolved !== undefined && this.diagnosticsBySession.get(session)?.delete(resolved))
      this.showDiagnosticsOfFile(resolved);
  }

  hasReported(path: string, problem: Diagnostic): boolean {
    return (this.diagnosticCollection.get(vscode.Uri.file(path)) ?? []).some(
      ({ message, range: { start, end }, severity, source }) =>
        message === problem.message &&
        source === problem.source &&
        severity === severities[problem.severity === 'information' ? 'info' : problem.severity] &&
        isAt(start, problem.range.start) &&
        isAt(end, problem.range.end),
    );
  }

  clearSession(session: BackendSession): void {
    const paths = [...(this.diagnosticsBySession.get(session)?.keys() ?? [])];
    this.diagnosticsBySession.delete(session);
    for (const path of paths) this.showDiagnosticsOfFile(path);
  }

  dispose(): void {
    this.diagnosticsBySession.clear();
    this.diagnosticCollection.dispose();
  }

  private resolvePath(path: string): Promise<string | undefined> {
    return this.editor.resolve(path).catch(() => undefined);
  }

  private showDiagnosticsOfFile(path: string): void {
    const all = [...this.diagnosticsBySession.values()].flatMap((files) => [...(files.get(path)?.values() ?? [])]);
    this.diagnosticCollection.set(vscode.Uri.file(path), all);
  }
}

const severities: Record<EventDiagnostic['severity'], vscode.DiagnosticSeverity> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

function isAt({ line, character }: vscode.Position, place: { line: number; character: number }): boolean {
  return line === place.line && character === place.character;
}

function toDiagnostic({ range: { start, end }, severity, message, source }: EventDiagnostic): vscode.Diagnostic {
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const diagnostic = new vscode.Diagnostic(range, message, severities[severity]);
  diagnostic.source = source ?? 'amplifier';
  return diagnostic;
}
