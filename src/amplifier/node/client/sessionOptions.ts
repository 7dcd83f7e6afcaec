import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import type { SessionLimits } from '../../common/client/clientState';
import type { ContextSource } from '../../common/context/contextSource';
import type { AmplifierClient } from './http/amplifierClient';
import type { EventStreamLimits } from './stream/eventStream';

/** What a session of an Amplifier server needs, and whom it tells of itself. */
export interface AmplifierSessionOptions {
  readonly id: string;
  readonly client: AmplifierClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly context: ContextSource;
  /** What its reader knows of the turn that may be running. */
  readonly heard: string;
  /** The folder that the session was made for (absolute); else the workspace's. */
  readonly cwd?: string;
  readonly usageIsCumulative: boolean;
  readonly limits?: Partial<ClientLimits>;
  readonly onConnected: () => void;
  readonly onReconnecting: (attempt: number, delayMs: number) => void;
  /** `denials` are what is still under way then: it settles by itself; dispose it to give them up. */
  readonly onEnded: (denials: PendingDenials) => void;
}

export type ClientLimits = SessionLimits & EventStreamLimits;

export interface PendingDenials extends Disposable {
  whenSettled(): Promise<void>;
}
