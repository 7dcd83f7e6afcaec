import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { commandIds } from '../../manifest';
import type { TrafficLog } from '../../wire/common/traffic';
import { formatTraffic } from '../../wire/common/trafficText';
import type { Commands } from './commands';

const scheme = 'backline-traffic';
const documentUri = vscode.Uri.from({ scheme, path: 'Backline Traffic' });
const refreshMs = 200;

/** Shows messages of all protocols in a read-only document. Records while a tab of the document is open. */
export class TrafficView implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(new vscode.EventEmitter<vscode.Uri>());
  private readonly refreshCoalescer: Coalescer;
  private recording: Disposable | undefined;
  /** Whether a tab is being opened. Recording must continue until VS Code reports this tab. */
  private isOpening = false;
  /** Editors in which the last line was visible before the latest update. */
  private editorsScrolledToEnd: readonly vscode.TextEditor[] = [];

  constructor(
    private readonly trafficLog: TrafficLog,
    private readonly commands: Commands,
    clock: Clock,
  ) {
    this.refreshCoalescer = this.disposables.add(
      new Coalescer(clock, refreshMs, () => {
        this.editorsScrolledToEnd = editors().filter(showsEnd);
        this.changeEmitter.fire(documentUri);
      }),
    );
  }

  start(): void {
    this.disposables.add(
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.changeEmitter.event,
        provideTextDocumentContent: () => this.documentText(),
      }),
    );
    this.disposables.add(this.trafficLog.onDidChange(() => this.refreshCoalescer.schedule()));
    this.disposables.add(vscode.window.tabGroups.onDidChangeTabs(() => this.startOrStopRecording()));
    this.disposables.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (isTraffic(document.uri)) this.revealEnd();
      }),
    );
    this.disposables.add(this.commands.setHandler(commandIds.showTraffic, () => this.show()));
    this.startOrStopRecording();
  }

  dispose(): void {
    this.disposables.dispose();
    this.recording?.dispose();
    this.recording = undefined;
  }

  private async show(): Promise<void> {
    this.isOpening = true;
    this.recording ??= this.trafficLog.startRecording();
    try {
      const document = await vscode.workspace.openTextDocument(documentUri);
      await vscode.languages.setTextDocumentLanguage(document, 'log');
      await vscode.window.showTextDocument(document, { preview: false });
    } catch (error) {
      this.isOpening = false;
      throw error;
    } finally {
      this.startOrStopRecording();
    }
  }

  /** Starts or stops recording when tabs were opened, closed, moved between groups, or restored after a reload. */
  private startOrStopRecording(): void {
    const isShown = vscode.window.tabGroups.all.some((group) =>
      group.tabs.some((tab) => tab.input instanceof vscode.TabInputText && isTraffic(tab.input.uri)),
    );
    if (this.disposables.isDisposed) return;
    if (isShown) {
      this.isOpening = false;
      this.recording ??= this.trafficLog.startRecording();
    }
    if (isShown || this.isOpening) return;
    this.recording?.dispose();
    this.recording = undefined;
  }

  private documentText(): string {
    return formatTraffic(this.trafficLog.recordedEntries, {
      maxEntries: this.trafficLog.maxEntries,
      dropped: this.trafficLog.droppedEntryCount,
      formatTime: localTime,
    });
  }

  private revealEnd(): void {
    const shown = new Set(editors());
    for (const editor of this.editorsScrolledToEnd) {
      if (!shown.has(editor)) continue;
      const end = editor.document.lineAt(editor.document.lineCount - 1).range;
      editor.revealRange(end, vscode.TextEditorRevealType.Default);
    }
  }
}

function isTraffic(uri: vscode.Uri): boolean {
  return uri.scheme === scheme;
}

function editors(): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter((editor) => isTraffic(editor.document.uri));
}

function showsEnd(editor: vscode.TextEditor): boolean {
  // The last line is empty and may be outside the visible part.
  const lastMessage = editor.document.lineCount - 2;
  return editor.visibleRanges.some((range) => range.end.line >= lastMessage);
}

/** Formats a local time, for example `14:03:07.120`. */
function localTime(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
