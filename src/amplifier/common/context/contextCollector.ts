import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { relativePathIn, withForwardSlashes } from '../../../editor/common/boundary';
import type { Diagnostic, EditorPort } from '../../../editor/common/editorPort';
import type { ContextDiagnostic, ContextSelection, GitState, OpenFile, WorkspaceContext } from '../api/apiSchema';
import type { ContextSource } from './contextSource';
import { contextKinds, type EditorContextChip, type ContextKind, type ContextSwitches } from './contextSwitches';

export interface ContextCollectorDeps {
  readonly editor: Pick<
    EditorPort,
    'folders' | 'resolve' | 'readText' | 'diagnostics' | 'activeSelection' | 'selections'
  >;
  /** Absolute paths of the files in editor tabs, the active file first. */
  readonly openDocuments: () => readonly string[];
  readonly languageOf: (path: string) => string;
  /** Returns the state of the repository that contains `folder`, with absolute paths. Undefined if there is none. */
  readonly gitState: (folder: string) => Promise<GitState | undefined>;
  /** Whether an agent of this window has itself reported the problem. */
  readonly isReported: (path: string, problem: Diagnostic) => boolean;
  readonly switches: ContextSwitches;
}

const maxFiles = 20;
/** Maximum length of the content of one file, in UTF-16 units. */
const maxContentLength = 64 * 1024;
const maxFileBytes = 8 * 1024 * 1024;
const maxDiagnostics = 200;
const maxGitFiles = 200;

/** Collects the context for an Amplifier server. Omits files that are unreadable or inaccessible to peers. */
export class ContextCollector implements ContextSource {
  constructor(private readonly deps: ContextCollectorDeps) {}

  async collect(folder = this.firstFolder): Promise<WorkspaceContext> {
    const { switches } = this.deps;
    const on = <T>(kind: ContextKind, part: () => Promise<T>): Promise<T | undefined> =>
      switches.isEnabled(kind) ? part() : Promise.resolve(undefined);
    const [openFiles, git_state, diagnostics, selection] = await Promise.all([
      on('openFiles', () => this.readOpenTabs()),
      on('git', () => this.gitState(folder)),
      on('diagnostics', () => this.sendableDiagnostics()),
      on('selection', () => Promise.resolve(this.primarySelection())),
    ]);
    const open_files = openFiles?.length ? openFiles : undefined;
    const problems = diagnostics?.length ? diagnostics : undefined;
    return {
      workspace_root: folder ?? '',
      ...withoutUndefined({ open_files, git_state, diagnostics: problems, selection }),
    };
  }

  async readFiles(paths: readonly string[]): Promise<OpenFile[]> {
    const unique = [...new Set(paths)];
    return present(await Promise.all(unique.map((path) => this.readFile(path))));
  }

  async describeKinds(): Promise<readonly EditorContextChip[]> {
    const [paths, git, diagnostics] = await Promise.all([
      this.allowedPaths(this.deps.openDocuments()),
      this.gitState(this.firstFolder),
      this.sendableDiagnostics(),
    ]);
    const selection = this.primarySelection();
    const lines = selection ? selection.range.end.line - selection.range.start.line + 1 : 0;
    const changed = git ? git.staged_files.length + git.modified_files.length + git.untracked_files.length : 0;
    const files = Math.min(paths.length, maxFiles);
    const facts: Record<ContextKind, { label: string; count: number }> = {
      openFiles: { label: countWithNoun(files, 'open file'), count: files },
      git: { label: git ? `Git: ${git.branch}, ${countWithNoun(changed, 'change')}` : 'No Git', count: git ? 1 : 0 },
      diagnostics: { label: countWithNoun(diagnostics.length, 'problem'), count: diagnostics.length },
      selection: { label: selection ? `Selection: ${countWithNoun(lines, 'line')}` : 'No selection', count: lines },
    };
    return contextKinds.map((kind) => ({ kind, isOn: this.deps.switches.isEnabled(kind), ...facts[kind] }));
  }

  private async readOpenTabs(): Promise<OpenFile[]> {
    const paths = await this.allowedPaths(this.deps.openDocuments());
    return present(await Promise.all(paths.slice(0, maxFiles).map((path) => this.readFile(path))));
  }

  private async readFile(path: string): Promise<OpenFile | undefined> {
    const { editor, languageOf } = this.deps;
    // The position of the cursor refers to the buffer.
    const options = { fromBuffer: 'asIs', maxBytes: maxFileBytes } as const;
    const file = await editor.readText(path, options).catch(() => undefined);
    if (!file) return undefined;
    const cursor = editor.selections.find((selection) => selection.path === file.path)?.selections[0]?.end;
    return {
      path: file.path,
      language: languageOf(path),
      content: cut(file.text),
      ...(cursor ? { cursor_position: { line: cursor.line, character: cursor.character } } : {}),
    };
  }

  private get firstFolder(): string | undefined {
    return this.deps.editor.folders[0]?.path;
  }

  private async gitState(folder: string | undefined): Promise<GitState | undefined> {
    const state = folder === undefined ? undefined : await this.deps.gitState(folder).catch(() => undefined);
    if (folder === undefined || !state) return undefined;
    const seen = async (paths: readonly string[]): Promise<string[]> =>
      (await this.allowedPaths(paths.slice(0, maxGitFiles))).map((path) => fromFolder(folder, path));
    const [staged_files, modified_files, untracked_files] = await Promise.all([
      seen(state.staged_files),
      seen(state.modified_files),
      seen(state.untracked_files),
    ]);
    return { branch: state.branch, staged_files, modified_files, untracked_files };
  }

  private async sendableDiagnostics(): Promise<ContextDiagnostic[]> {
    const { editor, isReported } = this.deps;
    const files = await editor.diagnostics().catch(() => []);
    return files
      .flatMap(({ path, diagnostics }) =>
        diagnostics
          .filter((diagnostic) => !isReported(path, diagnostic))
          .map(({ severity, message, range }) => ({
            path,
            severity: severity === 'information' ? ('info' as const) : severity,
            message,
            range: { start: { ...range.start }, end: { ...range.end } },
          })),
      )
      .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
      .slice(0, maxDiagnostics);
  }

  private primarySelection(): ContextSelection | undefined {
    const active = this.deps.editor.activeSelection;
    const primary = active?.selections[0];
    if (!active || !primary || primary.text === '') return undefined;
    const { text, start, end } = primary;
    return { path: active.path, text, range: { start: { ...start }, end: { ...end } } };
  }

  /** Returns the paths that peers may access. */
  private async allowedPaths(paths: readonly string[]): Promise<string[]> {
    const { editor } = this.deps;
    const checked = paths.map((path) =>
      editor.resolve(path).then(
        () => path,
        () => undefined,
      ),
    );
    return present(await Promise.all(checked));
  }
}

const severities: readonly ContextDiagnostic['severity'][] = ['error', 'warning', 'info', 'hint'];

/** Returns the path relative to `folder`, with slashes. For a file outside the folder, returns the full path. */
function fromFolder(folder: string, path: string): string {
  return relativePathIn(withForwardSlashes(path), withForwardSlashes(folder), /^[A-Za-z]:/u.test(folder)) ?? path;
}

function present<T>(items: readonly (T | undefined)[]): T[] {
  return items.filter((item) => item !== undefined);
}

/** Truncates a text, at a line end if possible. Then appends a note for the agent. */
function cut(text: string): string {
  if (text.length <= maxContentLength) return text;
  const lineEnd = text.lastIndexOf('\n', maxContentLength - 1) + 1;
  const end = lineEnd > 0 ? lineEnd : maxContentLength;
  return `${text.slice(0, end)}[${text.length - end} more characters are not shown]\n`;
}
