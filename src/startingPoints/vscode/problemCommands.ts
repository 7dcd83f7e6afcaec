import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import { problemPoint, type Problem } from '../common/problemPoint';
import type { StartingPoint } from '../common/startingPoint';
import { fixableProblems } from './problemActions';

const severities = ['error', 'warning', 'information', 'hint'] as const;

/** Collects the problems of a file for an agent. */
export class ProblemCommands {
  constructor(private readonly editor: Pick<EditorPort, 'readText' | 'resolve'>) {}

  /** Without arguments, takes the problems at the cursor. @throws Error, EditorError */
  async atPlace(task: 'fix' | 'explain', uri: unknown, given: unknown): Promise<StartingPoint> {
    const file = uriOrActive(uri);
    const cursor = vscode.window.activeTextEditor?.selection;
    const atCursor = vscode.languages.getDiagnostics(file).filter(({ range }) => cursor && range.intersection(cursor));
    return await this.pointOf(task, file, diagnosticsIn(given) ?? atCursor);
  }

  /** Without an argument, takes the active file. @throws Error, EditorError */
  async ofFile(uri: unknown): Promise<StartingPoint> {
    const file = uriOrActive(uri);
    const all = fixableProblems(file);
    if (all.length === 0) throw new Error('This file has no problems.');
    return await this.pointOf('fixFile', file, all);
  }

  private async pointOf(
    task: 'fix' | 'explain' | 'fixFile',
    uri: vscode.Uri,
    diagnostics: readonly vscode.Diagnostic[],
  ): Promise<StartingPoint> {
    const { path, text, isDirty } = await this.editor.readText(uri.fsPath, { fromBuffer: 'asIs' });
    return problemPoint(task, {
      shownPath: vscode.workspace.asRelativePath(path),
      path,
      text,
      isUnsaved: isDirty,
      problems: await Promise.all(diagnostics.map((diagnostic) => this.problemOf(diagnostic))),
    });
  }

  /** Leaves out related places in files that agents may not read. */
  private async problemOf(diagnostic: vscode.Diagnostic): Promise<Problem> {
    const { range, severity, message, source, code, relatedInformation = [] } = diagnostic;
    const related = relatedInformation.map(async ({ location, message: what }) => ({
      path: await this.editor.resolve(location.uri.fsPath),
      start: location.range.start,
      message: what,
    }));
    const found = await Promise.allSettled(related);
    const value = typeof code === 'object' ? code.value : code;
    return {
      range,
      severity: severities[severity],
      message,
      source,
      code: value === undefined ? undefined : String(value),
      related: found.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    };
  }
}

function uriOrActive(uri: unknown): vscode.Uri {
  if (uri instanceof vscode.Uri) return uri;
  const active = vscode.window.activeTextEditor?.document.uri;
  if (!active) throw new Error('Open a file first.');
  return active;
}

function diagnosticsIn(given: unknown): vscode.Diagnostic[] | undefined {
  return Array.isArray(given) ? given.filter((one) => one instanceof vscode.Diagnostic) : undefined;
}
