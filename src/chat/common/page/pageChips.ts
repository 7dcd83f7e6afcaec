import type { Disposable } from '../../../base/common/disposable';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { ContextChipView, DraftAttachment } from '../chatView';

/** A source of context that is attached to prompts automatically. */
export interface ChipSource {
  /** Fires once for several changes in quick succession. */
  readonly onDidChange: Event<void>;
  /** Returns the chips for a conversation with the backend. */
  chipsFor(backendId: string): Promise<readonly ContextChipView[]>;
  /** Turns a chip on or off. Does nothing if the kind belongs to another source. */
  set(kind: string, isOn: boolean): void;
  /** Returns the attachments for a prompt that is sent now. Absent if the backend adds the context itself. */
  mentions?(): Promise<readonly DraftAttachment[]>;
}

/** The chips of all sources. A source that fails doesn't affect the others. */
export class PageChips implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(new Emitter<void>((error) => this.onError(error)));
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly sources: readonly ChipSource[],
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    for (const source of this.sources) this.disposables.add(source.onDidChange(() => this.emitter.fire()));
  }

  /** Returns the chips for a conversation with the backend. Never rejects. */
  async chipsFor(backendId: string): Promise<ContextChipView[]> {
    return await this.collect((source) => source.chipsFor(backendId));
  }

  /** Returns the attachments for a prompt that is sent now. Never rejects. */
  async currentAttachments(): Promise<DraftAttachment[]> {
    return await this.collect(async (source) => (await source.mentions?.()) ?? []);
  }

  setEnabled(kind: string, isOn: boolean): void {
    for (const source of this.sources) source.set(kind, isOn);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async collect<Found>(ask: (source: ChipSource) => Promise<readonly Found[]>): Promise<Found[]> {
    const found = await Promise.allSettled(this.sources.map((source) => ask(source)));
    return found.flatMap((result) => {
      if (result.status === 'fulfilled') return result.value;
      this.onError(result.reason);
      return [];
    });
  }
}
