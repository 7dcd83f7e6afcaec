import { Emitter } from '../../../base/common/event';
import type { Disposable } from '../../../base/common/disposable';
import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import { mentionOfAllItems, type ContextMentionInFile } from './contextMentions';
import type { ContextReader } from './contextReader';

/** Context that the chat can add to each prompt. */
export interface ContextItemsChipView {
  readonly kind: string;
  /** Label of the chip, for example `3 context items of main.ts`. */
  readonly label: string;
  readonly isOn: boolean;
  readonly tokens: number;
}

const chipKind = 'contextItems';
const mementoKey = 'backline.context.chip';

/** Offers the AI-readable items of the active file as context for each prompt. */
export class ContextItemsChip implements Disposable {
  private readonly changeEmitter = new Emitter<void>((error) => this.onError(error));
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly reader: Pick<ContextReader, 'knownActiveItems'>,
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Call when the active file or its items have changed. */
  refresh(): void {
    this.changeEmitter.fire();
  }

  async chips(): Promise<readonly ContextItemsChipView[]> {
    const known = await this.reader.knownActiveItems();
    const all = known && mentionOfAllItems(known);
    return all ? [{ kind: chipKind, label: all.title, isOn: this.isOn, tokens: all.tokens }] : [];
  }

  /** Turns the chip on or off. Does nothing if the kind belongs to another chip. */
  setOn(kind: string, isOn: boolean): void {
    if (kind !== chipKind || isOn === this.isOn) return;
    this.memento.update(mementoKey, isOn).then(undefined, this.onError);
    this.changeEmitter.fire();
  }

  /** Returns the mentions that are added to a prompt. Empty while the chip is off. */
  async mentions(): Promise<readonly ContextMentionInFile[]> {
    const known = this.isOn ? await this.reader.knownActiveItems() : undefined;
    const all = known && mentionOfAllItems(known);
    return all ? [all] : [];
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }

  private get isOn(): boolean {
    return z.boolean().catch(false).parse(this.memento.get(mementoKey));
  }
}
