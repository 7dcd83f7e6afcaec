import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import type { DraftAttachment } from '../chatView';

interface AttachedFilesPorts {
  readonly editor: Pick<EditorPort, 'stat'>;
  /** Fires when files or folders may have been created or deleted. */
  readonly onDidChangeFiles: Event<void>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** How long to wait after a file event, because a build creates and deletes many files at once. */
const quietMs = 250;

/** Finds attachments of a draft whose files no longer exist. */
export class MissingAttachments implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(new Emitter<void>((error) => this.ports.onError(error)));
  /** Fires when the result of `findMissing` may have changed. */
  readonly onDidChange = this.emitter.event;
  private readonly coalescer: Coalescer;

  constructor(private readonly ports: AttachedFilesPorts) {
    this.coalescer = this.disposables.add(new Coalescer(ports.clock, quietMs, () => this.emitter.fire()));
  }

  start(): void {
    this.disposables.add(this.ports.onDidChangeFiles(() => this.coalescer.schedule()));
  }

  /** Returns the ids of attachments whose file or folder doesn't exist. Never rejects. */
  async findMissing(attachments: readonly DraftAttachment[]): Promise<string[]> {
    const ids = await Promise.all(attachments.map(async (one) => ((await this.isDeleted(one)) ? [one.id] : [])));
    return ids.flat();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Whether a file or folder attachment was deleted. Other kinds, such as problems, may refer to a deleted file. */
  private async isDeleted({ kind, path }: DraftAttachment): Promise<boolean> {
    if (path === undefined || !(kind === 'file' || kind === 'folder' || kind === 'selection')) return false;
    return await this.ports.editor.stat(path).then(
      () => false,
      (error: unknown) => isEditorError(error) && error.code === 'notFound',
    );
  }
}
