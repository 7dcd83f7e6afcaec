import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import { contextKinds, ContextSwitches } from './contextSwitches';

const memoryName = 'amplifier.contextOff';
const Kept = z.array(z.enum(contextKinds)).catch([]);

/** Restores the switches from the memento and saves changes to it. The caller disposes them. */
export function restoreContextSwitches(memento: Memento, onError: (error: unknown) => void): ContextSwitches {
  const switches = new ContextSwitches(Kept.parse(memento.get(memoryName) ?? []), onError);
  switches.onDidChange(() => {
    memento.update(memoryName, switches.disabledKinds).then(undefined, onError);
  });
  return switches;
}
