import { toDisposable, type Disposable } from '../../../base/common/disposable';
import type { SessionEvent } from '../sessionEvents';
import { SessionGrammar, type Violation } from './sessionGrammar';

declare global {
  /** Said by whoever bundles: false in what ships, and then nothing of this file is there. Absent counts as false. */
  var BACKLINE_DEBUG: boolean | undefined;
  /** Hears of what breaks the normal form. Each bundle has modules of its own, so this is of the process. */
  var backlineViolation: ((violation: Violation) => void) | undefined;
}

/** Holds the events of one log against the grammar, in tests and debug builds. A rule that is broken again is not told again. */
export function watchGrammar(): ((event: SessionEvent) => void) | undefined {
  if (typeof BACKLINE_DEBUG === 'undefined' || !BACKLINE_DEBUG) return undefined;
  const grammar = new SessionGrammar();
  const told = new Set<string>();
  return (event) => {
    const violation = grammar.take(event);
    if (!violation || told.has(violation.rule)) return;
    told.add(violation.rule);
    globalThis.backlineViolation?.(violation);
  };
}

/** Tells, in debug builds, of all logs of the process what breaks the normal form: the rule and the event, none of what is in it. */
export function reportViolations(report: (message: string) => void): Disposable {
  if (typeof BACKLINE_DEBUG === 'undefined' || !BACKLINE_DEBUG) return toDisposable(() => undefined);
  globalThis.backlineViolation = ({ rule, event, index }) =>
    report(`session ${event.data.session_id} breaks "${rule}" by event ${index}, ${event.event}`);
  return toDisposable(() => {
    globalThis.backlineViolation = undefined;
  });
}
