import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import type { DraftAttachment } from '../chatView';

interface AttachedFilesPorts {
  readonly editor: Pick<EditorPort, 'stat'>;
  /** A file or folder may have come or gone. */
  readonly onDidChangeFiles: Event<void>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Building a project makes and deletes many files, most of which nobody has attached. */
const quietMs = 250;

/** Tells which attachments of a draft name files that are gone. */
export class AttachedFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.ports.onError(error)));
  /** What `missing` resolves to may be something else now. */
  readonly onDidChange = this.emitter.event;
  private readonly later: Coalescer;

  constructor(private readonly ports: AttachedFilesPorts) {
    this.later = this.store.add(new Coalescer(ports.clock, quietMs, () => this.emitter.fire()));
  }

  start(): void {
    this.store.add(this.ports.onDidChangeFiles(() => this.later.schedule()));
  }

  /** Ids of those whose file or folder does not exist. Never rejects. */
  async missing(attachments: readonly DraftAttachment[]): Promise<string[]> {
    const ids = await Promise.all(attachments.map(async (one) => ((await this.isGone(one)) ? [one.id] : [])));
    return ids.flat();
  }

  dispose(): void {
    this.store.dispose();
  }

  /** What else goes with a prompt may be about a file that is gone. */
  private async isGone({ kind, path }: DraftAttachment): Promise<boolean> {
    if (path === undefined || !(kind === 'file' || kind === 'folder' || kind === 'selection')) return false;
    return await this.ports.editor.stat(path).then(
      () => false,
      (error: unknown) => isEditorError(error) && error.code === 'notFound',
    );
  }
}
