import * as z from 'zod';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';

/** Kinds of editor context that are sent automatically to an Amplifier server, in addition to the workspace root. */
export const contextKinds = ['openFiles', 'git', 'diagnostics', 'selection'] as const;
export type ContextKind = (typeof contextKinds)[number];

export interface EditorContextChip {
  readonly kind: ContextKind;
  readonly isOn: boolean;
  /** Describes the context that would be sent, for example `3 open files`. */
  readonly label: string;
  readonly count: number;
}

/** Which kinds of editor context the user lets Backline send. Applies to all sessions of the window. */
export class ContextSwitches implements Disposable {
  private readonly disabledKindSet: Set<ContextKind>;
  private readonly emitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.emitter.event;

  constructor(
    off: Iterable<ContextKind>,
    private readonly onListenerError: (error: unknown) => void,
  ) {
    this.disabledKindSet = new Set(off);
  }

  /** The disabled kinds, in the form that the constructor accepts. */
  get disabledKinds(): readonly ContextKind[] {
    return [...this.disabledKindSet];
  }

  isEnabled(kind: ContextKind): boolean {
    return !this.disabledKindSet.has(kind);
  }

  setEnabled(kind: ContextKind, isOn: boolean): void {
    if (this.isEnabled(kind) === isOn) return;
    if (isOn) this.disabledKindSet.delete(kind);
    else this.disabledKindSet.add(kind);
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }
}

const memoryName = 'amplifier.contextOff';
const Kept = z.array(z.enum(contextKinds)).catch([]);

/** Restores the switches from the memento, and saves changes to it. The caller disposes the result. */
export function restoreContextSwitches(memento: Memento, onError: (error: unknown) => void): ContextSwitches {
  const switches = new ContextSwitches(Kept.parse(memento.get(memoryName) ?? []), onError);
  switches.onDidChange(() => {
    memento.update(memoryName, switches.disabledKinds).then(undefined, onError);
  });
  return switches;
}
