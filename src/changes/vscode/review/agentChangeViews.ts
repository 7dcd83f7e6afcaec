import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import { commandIds, contextKeys, settingIds } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { Messages } from '../../../platform/vscode/messages';
import type { Settings } from '../../../platform/vscode/settings';
import type { ReviewCounts, ReviewedMarks } from '../../common/review/reviewedMarks';
import type { ReviewSource } from '../../common/review/reviewSource';
import { AgentChangesEditor } from './agentChangesEditor';
import { BaselineDocuments } from './baselineDocuments';
import { HunkCommands } from './hunkCommands';
import { HunkDecorations } from './hunkDecorations';
import { HunkLenses } from './hunkLenses';

interface AgentChangesDeps {
  readonly source: ReviewSource;
  readonly marks: ReviewedMarks;
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly settings: Pick<Settings, 'reviewCodeLens' | 'onDidChangeOf'>;
  readonly clock: Clock;
  readonly messages: Pick<Messages, 'info'>;
  readonly log: Logger;
}

const groupLabel = 'Agent Changes';
const syncDelayMs = 100;
/** Delay between an edit of a changed file by the user and the update of its baseline. */
const editDelayMs = 250;

/**
 * Shows the changes of agents with VS Code's quick diff (gutter and overview ruler), as tinted lines, in the Source Control view
 * and as CodeLens.
 */
export class AgentChangeViews implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly baselines: BaselineDocuments;
  private readonly hunkLenses: HunkLenses;
  private readonly hunkDecorations: HunkDecorations;
  private readonly sourceControl: SourceControlView;
  /** The files that the views show. */
  private shownPaths: ReadonlySet<string> = new Set();
  private editedPaths = new Set<string>();
  private readonly updateCoalescer: Coalescer;
  private readonly editCoalescer: Coalescer;

  constructor(private readonly deps: AgentChangesDeps) {
    const { clock, log, marks, settings, source } = deps;
    const { disposables } = this;
    this.baselines = disposables.add(new BaselineDocuments(source));
    this.hunkLenses = disposables.add(new HunkLenses(source, () => settings.reviewCodeLens(), marks));
    this.hunkDecorations = disposables.add(new HunkDecorations(source, marks, log));
    this.sourceControl = disposables.add(new SourceControlView(this.baselines));
    this.updateCoalescer = disposables.add(new Coalescer(clock, syncDelayMs, () => this.updateViews()));
    this.editCoalescer = disposables.add(new Coalescer(clock, editDelayMs, () => this.updateEditedBaselines()));
  }

  start(): void {
    const { commands, marks, messages, settings, source } = this.deps;
    const { baselines, disposables, hunkLenses } = this;
    const editor = disposables.add(new AgentChangesEditor(source, baselines, messages));
    editor.start();
    disposables.add(new HunkCommands({ source, baselines, commands, editor, marks })).start();
    disposables.add(source.onDidChange(() => this.updateCoalescer.schedule()));
    disposables.add(marks.onDidChange(() => this.showMarks()));
    disposables.add(vscode.languages.registerCodeLensProvider({ scheme: 'file' }, hunkLenses));
    disposables.add(settings.onDidChangeOf([settingIds.reviewCodeLens], () => hunkLenses.refresh()));
    disposables.add(vscode.window.onDidChangeVisibleTextEditors(() => void this.hunkDecorations.update()));
    disposables.add(
      vscode.workspace.onDidChangeTextDocument(({ contentChanges, document }) => {
        if (contentChanges.length > 0) this.scheduleBaselineUpdate(document);
      }),
    );
    disposables.add(vscode.workspace.onDidSaveTextDocument((document) => this.scheduleBaselineUpdate(document)));
    this.updateViews();
  }

  dispose(): void {
    this.disposables.dispose();
    setContext([]);
    setReviewedContext([]);
  }

  private updateViews(): void {
    const { paths } = this.deps.source;
    this.shownPaths = new Set(paths);
    setContext(paths);
    for (const path of paths) void this.baselines.update(path);
    this.showMarks();
  }

  private showMarks(): void {
    const { marks, source } = this.deps;
    const paths = [...this.shownPaths];
    this.sourceControl.show(paths, (path) => marks.isFileReviewed(path), marks.countsOf(source.paths));
    setReviewedContext(paths.filter((path) => marks.isFileReviewed(path)));
    this.hunkLenses.refresh();
    void this.hunkDecorations.update();
  }

  private scheduleBaselineUpdate({ uri }: vscode.TextDocument): void {
    if (uri.scheme !== 'file' || !this.shownPaths.has(uri.fsPath)) return;
    this.editedPaths.add(uri.fsPath);
    this.editCoalescer.schedule();
  }

  /** Updates the baselines of edited files, because baselines include the user's own edits. */
  private updateEditedBaselines(): void {
    const { editedPaths } = this;
    this.editedPaths = new Set();
    for (const path of editedPaths) void this.baselines.update(path);
    void this.hunkDecorations.update();
    if (editedPaths.size > 0) this.deps.marks.noteEdit();
    this.deps.source
      .refresh(editedPaths)
      .catch((error: unknown) => this.deps.log.error('the changes of agents could not be compared', error));
  }
}

function setContext(paths: readonly string[]): void {
  void vscode.commands.executeCommand('setContext', contextKeys.reviewHasChanges, paths.length > 0);
  setPathsContext(contextKeys.reviewFiles, paths);
}

function setReviewedContext(paths: readonly string[]): void {
  setPathsContext(contextKeys.reviewedFiles, paths);
}

function setPathsContext(key: string, paths: readonly string[]): void {
  void vscode.commands.executeCommand('setContext', key, Object.fromEntries(paths.map((path) => [path, true])));
}

/** The source control “Agent Changes”. It exists only while there are changes. */
class SourceControlView implements Disposable {
  private view: { control: vscode.SourceControl; group: vscode.SourceControlResourceGroup } | undefined;
  private shownKey = '';
  private shownReviewed = '';

  constructor(private readonly baselines: BaselineDocuments) {}

  show(paths: readonly string[], isReviewed: (path: string) => boolean, counts: ReviewCounts | undefined): void {
    this.showFiles(paths);
    if (!this.view) return;
    const { group } = this.view;
    const label = counts ? `${groupLabel}: ${counts.reviewed} of ${counts.total} reviewed` : groupLabel;
    if (group.label !== label) group.label = label;
    const reviewed = paths.filter(isReviewed);
    const key = reviewed.join('\0');
    if (key === this.shownReviewed) return;
    this.shownReviewed = key;
    const files = new Set(reviewed);
    group.resourceStates = paths.map((path) => resourceStateOf(path, files.has(path)));
  }

  private showFiles(paths: readonly string[]): void {
    const key = paths.join('\0');
    if (key === this.shownKey) return;
    this.shownKey = key;
    this.shownReviewed = '';
    if (paths.length === 0) {
      this.dispose();
      return;
    }
    const { control, group } = (this.view ??= this.create());
    group.resourceStates = paths.map((path) => resourceStateOf(path, false));
    control.count = paths.length;
    // VS Code requests the original texts again only if the provider changes.
    Object.assign(control, { quickDiffProvider: undefined });
    const files = new Set(paths);
    control.quickDiffProvider = {
      provideOriginalResource: async ({ fsPath, scheme }) =>
        scheme === 'file' && files.has(fsPath) && (await this.baselines.hasBaseline(fsPath))
          ? this.baselines.uriOf(fsPath)
          : undefined,
    };
  }

  dispose(): void {
    this.view?.control.dispose();
    this.view = undefined;
    this.shownKey = '';
  }

  private create(): { control: vscode.SourceControl; group: vscode.SourceControlResourceGroup } {
    const control = vscode.scm.createSourceControl('backline-agent-changes', groupLabel);
    control.inputBox.visible = false;
    return { control, group: control.createResourceGroup('changes', groupLabel) };
  }
}

function resourceStateOf(path: string, isReviewed: boolean): vscode.SourceControlResourceState {
  const resourceUri = vscode.Uri.file(path);
  const command = { title: 'Open Changes', command: commandIds.reviewOpenFile, arguments: [resourceUri] };
  if (!isReviewed) return { resourceUri, command, contextValue: 'agentChange' };
  return {
    resourceUri,
    command,
    contextValue: 'reviewedAgentChange',
    decorations: { faded: true, tooltip: 'Reviewed' },
  };
}
