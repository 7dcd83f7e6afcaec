import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { SessionLimits } from '../../common/client/clientState';
import type { ContextSource } from '../../common/context/contextSource';
import type { AmplifierClient } from './http/amplifierClient';
import type { EventStreamLimits } from './stream/eventStream';

export interface AmplifierSessionDeps {
  readonly id: string;
  readonly client: AmplifierClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly context: ContextSource;
  /** The text of a running turn that readers have already received. */
  readonly receivedTurnText: string;
  /** Absolute path of the session's folder; default is the workspace folder. */
  readonly cwd?: string;
  readonly usageIsCumulative: boolean;
  readonly limits?: Partial<ClientLimits>;
  readonly onConnected: () => void;
  readonly onReconnecting: (attempt: number, delayMs: number) => void;
  /** Called when the session has ended. `denials` are still being sent; dispose them to stop that. */
  readonly onEnded: (denials: PendingDenials) => void;
}

export type ClientLimits = SessionLimits & EventStreamLimits;

export interface PendingDenials extends Disposable {
  whenSettled(): Promise<void>;
}
