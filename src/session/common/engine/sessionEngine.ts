import type { Clock } from '../../../base/common/async';
import type { Event } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { SecretRedactor } from '../redaction/secretRedactor';
import type { ReadEventsOptions, SequencedEvent } from '../sessionBackend';
import type { SessionEvent } from '../sessionEvents';
import { TurnChanges, type SessionTurn, type TurnSource } from '../sessionTurn';
import { Approvals } from './approvals';
import { SessionOutput } from './sessionOutput';
import { SessionTurns } from './sessionTurns';
import { SilenceWatch } from './silenceWatch';
import { endsBySilence } from './turnState';

interface SessionEngineDeps {
  readonly id: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redactor?: SecretRedactor | undefined;
  /** Time after which an unanswered approval is denied; none by default. */
  readonly approvalTimeoutMs?: number | undefined;
  readonly yieldToOthers: () => Promise<void>;
  /** Called before the user is asked. */
  readonly onAsk?: () => void;
  /** Called when the session accepts the next prompt, before the end of the turn is reported. */
  readonly onOwnTurnEnd?: () => void;
  /** Whether a call of the turn has not ended. */
  readonly hasOpenCalls?: () => boolean;
  /** Called when an agent is silent in a turn whose end it does not report. Ends that turn. */
  readonly onSilence?: () => void;
  /** Called after each report, but for the start of the session. */
  readonly onDidReport?: () => void;
}

/**
 * What the sessions of all local agents share: which turn runs, the approvals that wait, and the events, in their normal form
 * and without the user's keys. The session itself talks to its agent, and reports what the agent does.
 */
export class SessionEngine implements TurnSource {
  readonly turns: SessionTurns;
  readonly approvals: Approvals;
  readonly onDidChangeTurn: Event<void>;
  private readonly output: SessionOutput;
  private readonly turnChanges: TurnChanges;
  private readonly silence: SilenceWatch;
  private isAtBoundary = false;

  constructor(private readonly deps: SessionEngineDeps) {
    const { approvalTimeoutMs, clock, id, log, onOwnTurnEnd, redactor, yieldToOthers } = deps;
    this.turns = new SessionTurns(onOwnTurnEnd);
    this.output = new SessionOutput({ redactor, yieldToOthers });
    this.turnChanges = new TurnChanges(() => this.turn, log);
    this.onDidChangeTurn = this.turnChanges.event;
    this.approvals = new Approvals(id, clock, approvalTimeoutMs, (event) => this.reportApproval(event));
    this.silence = new SilenceWatch({
      clock,
      isWatching: () => endsBySilence(this.turns.state),
      isAsking: () => this.approvals.isAsking,
      hasOpenCalls: () => deps.hasOpenCalls?.() === true,
      onSilence: () => deps.onSilence?.(),
    });
    this.output.append({ event: 'session:start', data: { session_id: id } });
  }

  get turn(): SessionTurn {
    return this.turns.turn;
  }

  events(options?: ReadEventsOptions): AsyncIterable<SequencedEvent> {
    return this.output.read(options);
  }

  /** Adds what the agent does. The change of the turn is reported when its events can be read. */
  report(events: readonly SessionEvent[]): void {
    for (const event of events) this.output.append(event);
    this.silence.noteActivity();
    if (!this.isAtBoundary) this.turnChanges.check();
    this.deps.onDidReport?.();
  }

  /** Adds the start or end of a turn. Withdraws its approvals, because nothing waits for their answers any more. */
  reportBoundary(events: readonly SessionEvent[]): void {
    this.reportAfter(() => this.approvals.withdrawAll(), events);
  }

  notify(level: 'info' | 'warning', message: string): void {
    this.report([{ event: 'notice', data: { session_id: this.deps.id, level, message } }]);
  }

  /** Rejects with a BackendError: `approvalInvalid` or `approvalResolved`. */
  answerApproval(approvalId: string, option: string): Promise<void> {
    return Promise.resolve().then(() => this.approvals.answer(approvalId, option));
  }

  /** Ends the session after `events`, which end its turn. Does nothing if it has ended. */
  end(events: readonly SessionEvent[], reason: string): void {
    if (this.turns.state.isClosed) return;
    this.silence.dispose();
    this.turns.apply({ type: 'closed' });
    const end: SessionEvent = { event: 'session:end', data: { session_id: this.deps.id, reason } };
    this.reportAfter(() => this.approvals.close(), [...events, end]);
    this.output.end();
  }

  /** Reports `events` after those of `withdraw`. The change of the turn is reported once, after all of them. */
  private reportAfter(withdraw: () => void, events: readonly SessionEvent[]): void {
    this.isAtBoundary = true;
    withdraw();
    this.isAtBoundary = false;
    this.report(events);
  }

  private reportApproval(event: SessionEvent): void {
    if (event.event === 'approval:required') {
      this.deps.onAsk?.();
      this.turns.apply({ type: 'acted' });
    }
    this.report([event]);
  }
}
