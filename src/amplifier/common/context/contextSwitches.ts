import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';

/** What of the editor goes to an Amplifier server by itself, besides the workspace's root. */
export const contextKinds = ['openFiles', 'git', 'diagnostics', 'selection'] as const;
export type ContextKind = (typeof contextKinds)[number];

/** One kind as the user sees it. */
export interface ContextChip {
  readonly kind: ContextKind;
  readonly isOn: boolean;
  /** For example `3 open files`; what would be sent if the switch were on. */
  readonly label: string;
  readonly count: number;
}

/** Which kinds are sent. The user's choice; the same for all sessions of a window. */
export class ContextSwitches implements Disposable {
  private readonly off: Set<ContextKind>;
  private readonly emitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.emitter.event;

  constructor(
    off: Iterable<ContextKind>,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    this.off = new Set(off);
  }

  /** To be stored and handed to the constructor again. */
  get switchedOff(): readonly ContextKind[] {
    return [...this.off];
  }

  isOn(kind: ContextKind): boolean {
    return !this.off.has(kind);
  }

  set(kind: ContextKind, isOn: boolean): void {
    if (this.isOn(kind) === isOn) return;
    if (isOn) this.off.delete(kind);
    else this.off.add(kind);
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }
}
