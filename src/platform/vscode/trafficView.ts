import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { commandIds } from '../../manifest';
import type { TrafficLog } from '../../wire/common/traffic';
import { trafficText } from '../../wire/common/trafficText';
import type { Commands } from './commands';

const scheme = 'backline-traffic';
const documentUri = vscode.Uri.from({ scheme, path: 'Backline Traffic' });
const refreshMs = 200;

/** The messages of every protocol as a read-only document. Records from when its first tab opens until its last one closes. */
export class TrafficView implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.Uri>());
  private readonly refresh: Coalescer;
  private recording: Disposable | undefined;
  /** VS Code tells of the tab some time after it was asked for it: what comes until then is recorded, too. */
  private isOpening = false;
  /** Editors that showed the last line before the document grew. */
  private followers: readonly vscode.TextEditor[] = [];

  constructor(
    private readonly traffic: TrafficLog,
    private readonly commands: Commands,
    clock: Clock,
  ) {
    this.refresh = this.store.add(
      new Coalescer(clock, refreshMs, () => {
        this.followers = editors().filter(showsEnd);
        this.changed.fire(documentUri);
      }),
    );
  }

  start(): void {
    this.store.add(
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        onDidChange: this.changed.event,
        provideTextDocumentContent: () => this.text(),
      }),
    );
    this.store.add(this.traffic.onDidChange(() => this.refresh.schedule()));
    this.store.add(vscode.window.tabGroups.onDidChangeTabs(() => this.followTabs()));
    this.store.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (isTraffic(document.uri)) this.revealEnd();
      }),
    );
    this.store.add(this.commands.handle(commandIds.showTraffic, () => this.show()));
    this.followTabs();
  }

  dispose(): void {
    this.store.dispose();
    this.recording?.dispose();
    this.recording = undefined;
  }

  private async show(): Promise<void> {
    this.isOpening = true;
    this.recording ??= this.traffic.open();
    try {
      const document = await vscode.workspace.openTextDocument(documentUri);
      await vscode.languages.setTextDocumentLanguage(document, 'log');
      await vscode.window.showTextDocument(document, { preview: false });
    } catch (error) {
      this.isOpening = false;
      throw error;
    } finally {
      this.followTabs();
    }
  }

  /** A tab may also be opened by a reload of the window, and moved between groups. */
  private followTabs(): void {
    const isShown = vscode.window.tabGroups.all.some((group) =>
      group.tabs.some((tab) => tab.input instanceof vscode.TabInputText && isTraffic(tab.input.uri)),
    );
    if (this.store.isDisposed) return;
    if (isShown) {
      this.isOpening = false;
      this.recording ??= this.traffic.open();
    }
    if (isShown || this.isOpening) return;
    this.recording?.dispose();
    this.recording = undefined;
  }

  private text(): string {
    return trafficText(this.traffic.recorded, {
      maxEntries: this.traffic.maxEntries,
      dropped: this.traffic.dropped,
      formatTime: localTime,
    });
  }

  private revealEnd(): void {
    const shown = new Set(editors());
    for (const editor of this.followers) {
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
  // The document ends with an empty line, which may be below the edge while the last message is in view.
  const lastMessage = editor.document.lineCount - 2;
  return editor.visibleRanges.some((range) => range.end.line >= lastMessage);
}

/** `14:03:07.120`. */
function localTime(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
