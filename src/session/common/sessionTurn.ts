import { raceSignal } from '../../base/common/async';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';

/** Whose turn runs in a session. */
export type SessionTurn =
  | 'none'
  /** That of a prompt that this session has sent, from `sendPrompt` on. */
  | 'own'
  /** That of a prompt of another client. */
  | 'other'
  /** An unprompted turn: what the agent does by itself or for a subagent. Also a turn whose beginning is unknown. */
  | 'agent';

/** Whether the session answers a prompt. What an agent does by itself keeps nobody from sending one. */
export function isPromptTurn(turn: SessionTurn): boolean {
  return turn === 'own' || turn === 'other';
}

/** A session, as far as its turn is concerned. */
export interface TurnSource {
  /** `none` in a session that has ended. */
  readonly turn: SessionTurn;
  readonly onDidChangeTurn: Event<void>;
}

/** Reports changes of a turn that is derived from other state. */
export class TurnChanges {
  private last: SessionTurn = 'none';
  private readonly emitter: Emitter<void>;
  readonly event;

  constructor(
    private readonly read: () => SessionTurn,
    log: Logger,
  ) {
    this.emitter = new Emitter<void>((error) => log.error('a listener failed', error));
    this.event = this.emitter.event;
  }

  /** Call when the turn may have changed. */
  check(): void {
    const now = this.read();
    if (now === this.last) return;
    this.last = now;
    this.emitter.fire();
  }
}

/** Resolves when no turn runs in the session; at once if none does. @throws the signal's reason when it fires */
export async function whenTurnEnds(session: TurnSource, signal?: AbortSignal): Promise<void> {
  if (session.turn === 'none') return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const subscription = session.onDidChangeTurn(() => {
    if (session.turn === 'none') resolve(undefined);
  });
  await raceSignal(promise, signal).finally(() => subscription.dispose());
}
