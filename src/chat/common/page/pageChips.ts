import type { Disposable } from '../../../base/common/disposable';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { ContextChipView, DraftAttachment } from '../chatView';

/** Something that goes along with the prompts of a conversation by itself. */
export interface ChipSource {
  /** Coalesced. */
  readonly onDidChange: Event<void>;
  /** Of a conversation with that backend. */
  of(backendId: string): Promise<readonly ContextChipView[]>;
  /** Nothing happens for a kind that is another source's. */
  set(kind: string, isOn: boolean): void;
  /** What is added to the attachments of a prompt that is sent now. Absent where the backend adds it by itself. */
  mentions?(): Promise<readonly DraftAttachment[]>;
}

/** The chips of all sources, in their order. One that fails takes nothing from the others. */
export class PageChips implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.onError(error)));
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly sources: readonly ChipSource[],
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    for (const source of this.sources) this.store.add(source.onDidChange(() => this.emitter.fire()));
  }

  /** Never rejects. */
  async of(backendId: string): Promise<ContextChipView[]> {
    return await this.gathered((source) => source.of(backendId));
  }

  /** What goes along with a prompt that is sent now. Never rejects. */
  async mentions(): Promise<DraftAttachment[]> {
    return await this.gathered(async (source) => (await source.mentions?.()) ?? []);
  }

  set(kind: string, isOn: boolean): void {
    for (const source of this.sources) source.set(kind, isOn);
  }

  dispose(): void {
    this.store.dispose();
  }

  private async gathered<Found>(ask: (source: ChipSource) => Promise<readonly Found[]>): Promise<Found[]> {
    const found = await Promise.allSettled(this.sources.map((source) => ask(source)));
    return found.flatMap((result) => {
      if (result.status === 'fulfilled') return result.value;
      this.onError(result.reason);
      return [];
    });
  }
}
