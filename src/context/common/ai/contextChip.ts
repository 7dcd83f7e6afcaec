import { Emitter } from '../../../base/common/event';
import type { Disposable } from '../../../base/common/disposable';
import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import { mentionOfAll, type FileMention } from './contextMentions';
import type { ContextReader } from './contextReader';

/** What goes along with prompts by itself, as the chat shows it. */
export interface ContextChipView {
  readonly kind: string;
  /** `3 context items of main.ts`. */
  readonly label: string;
  readonly isOn: boolean;
  readonly tokens: number;
}

const chipKind = 'contextItems';
const memoryName = 'backline.context.chip';

/** The items of the file that is looked at, those with text for AI, as something that can go along with each prompt. */
export class ContextChip implements Disposable {
  private readonly emitter = new Emitter<void>((error) => this.onError(error));
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly reader: Pick<ContextReader, 'known'>,
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** The file that is looked at, or what is known of it, is another one. */
  refresh(): void {
    this.emitter.fire();
  }

  async of(): Promise<readonly ContextChipView[]> {
    const known = await this.reader.known();
    const all = known && mentionOfAll(known);
    return all ? [{ kind: chipKind, label: all.title, isOn: this.isOn, tokens: all.tokens }] : [];
  }

  /** Nothing happens for a kind that is another source's. */
  set(kind: string, isOn: boolean): void {
    if (kind !== chipKind || isOn === this.isOn) return;
    this.memento.update(memoryName, isOn).then(undefined, this.onError);
    this.emitter.fire();
  }

  /** What is to be added to a prompt that is sent now; nothing while it is off. */
  async mentions(): Promise<readonly FileMention[]> {
    const known = this.isOn ? await this.reader.known() : undefined;
    const all = known && mentionOfAll(known);
    return all ? [all] : [];
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private get isOn(): boolean {
    return z.boolean().catch(false).parse(this.memento.get(memoryName));
  }
}
