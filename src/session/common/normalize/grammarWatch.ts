import { toDisposable, type Disposable } from '../../../base/common/disposable';
import type { SessionEvent } from '../sessionEvents';
import { SessionGrammar, type GrammarViolation } from './sessionGrammar';

declare global {
  /** Replaced by the bundler: false in release builds, which removes this file's code. */
  var BACKLINE_DEBUG: boolean | undefined;
  /** Receives violations of the normal form. It is global because each bundle has its own copy of this module. */
  var backlineViolation: ((violation: GrammarViolation) => void) | undefined;
}

/** Checks one log against the grammar, in tests and debug builds. Reports a violation of each rule once. */
export function createGrammarCheck(): ((event: SessionEvent) => void) | undefined {
  if (typeof BACKLINE_DEBUG === 'undefined' || !BACKLINE_DEBUG) return undefined;
  const grammar = new SessionGrammar();
  const reportedRules = new Set<string>();
  return (event) => {
    const violation = grammar.checkEvent(event);
    if (!violation || reportedRules.has(violation.rule)) return;
    reportedRules.add(violation.rule);
    globalThis.backlineViolation?.(violation);
  };
}

/** In debug builds, reports the violations of all sessions. Reports only rule and event names, without contents. */
export function reportGrammarViolations(report: (message: string) => void): Disposable {
  if (typeof BACKLINE_DEBUG === 'undefined' || !BACKLINE_DEBUG) return toDisposable(() => undefined);
  globalThis.backlineViolation = ({ rule, event, index }) =>
    report(`session ${event.data.session_id} breaks "${rule}" by event ${index}, ${event.event}`);
  return toDisposable(() => {
    globalThis.backlineViolation = undefined;
  });
}
