import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { MentionRow } from '../chatView';

interface OfferedContextPorts {
  readonly editor: Pick<EditorPort, 'activeSelection' | 'onDidChangeSelection'>;
  /** Returns the row of the selected lines, if there are any. */
  readonly selectionRow: () => MentionRow | undefined;
  /** Returns the row of a file by its path. @throws EditorError if agents may not read it */
  readonly fileRow: (path: string) => Promise<MentionRow>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** A selection that the user is still extending changes with each key. */
const changeDelayMs = 150;

/** What the user looks at in the editor and can add to a prompt with one click: the selected lines, or else the active file. */
export class OfferedContext implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter: Emitter<void>;
  readonly onDidChange: Event<void>;

  constructor(private readonly ports: OfferedContextPorts) {
    this.emitter = this.disposables.add(new Emitter<void>(ports.onError));
    this.onDidChange = this.emitter.event;
  }

  start(): void {
    const { clock, editor } = this.ports;
    const change = this.disposables.add(new Coalescer(clock, changeDelayMs, () => this.emitter.fire()));
    this.disposables.add(editor.onDidChangeSelection(() => change.schedule()));
  }

  /** Returns the row that can be added now. Never rejects. */
  async currentRow(): Promise<MentionRow | undefined> {
    const { editor, fileRow, selectionRow } = this.ports;
    const path = editor.activeSelection?.path;
    if (path === undefined) return undefined;
    // A file that was deleted, or that agents may not read, is not offered.
    return selectionRow() ?? (await fileRow(path).catch(() => undefined));
  }

  dispose(): void {
    this.disposables.dispose();
  }
}
