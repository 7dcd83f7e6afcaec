import * as z from 'zod';
import { contextKinds, ContextSwitches } from './contextSwitches';

/** Where choices are kept; VS Code's `Memento` is one. */
export interface ChoiceMemento {
  get(name: string): unknown;
  update(name: string, value: unknown): PromiseLike<void>;
}

const memoryName = 'amplifier.contextOff';
const Kept = z.array(z.enum(contextKinds)).catch([]);

/** The switches as the user left them, and kept from now on. The caller disposes them. */
export function keptSwitches(memento: ChoiceMemento, onError: (error: unknown) => void): ContextSwitches {
  const switches = new ContextSwitches(Kept.parse(memento.get(memoryName) ?? []), onError);
  switches.onDidChange(() => {
    memento.update(memoryName, switches.switchedOff).then(undefined, onError);
  });
  return switches;
}
