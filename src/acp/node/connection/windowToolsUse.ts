import { type BackendError, type BackendErrorCode } from '../../../session/common/sessionBackend';
import {
  nextWindowToolsState,
  type WindowToolsEvent,
  type WindowToolsMemory,
  type WindowToolsState,
} from '../../common/connection/windowToolsState';

/** Failures that say nothing about the parameters of a session. */
const otherFailures: ReadonlySet<BackendErrorCode> = new Set([
  'authRequired',
  'cancelled',
  'closed',
  'notFound',
  'notReady',
  'timeout',
  'unsupported',
  'untrusted',
]);

/** Whether one request for a session offers the window's tools to the agent. */
export interface WindowToolsOffer {
  readonly omitsWindowTools: boolean;
  /** Set when the request is made: whether the tools are in it. */
  hasWindowTools: boolean;
  /** What was known when the session began to open. */
  readonly before: WindowToolsState;
  /** The version of the running agent. */
  readonly version: string | undefined;
}

/** Decides whether one agent gets the window's tools. */
export class WindowToolsUse {
  /** What this window has found out itself. */
  private own: { readonly version: string | undefined; readonly state: WindowToolsState } | undefined;

  /** `memory` is shared by all windows. Agents that do not tell their version are only known here. */
  constructor(private readonly memory: WindowToolsMemory | undefined) {}

  /** `version` is that of the running agent: an update ends what was known. */
  offerFor(version: string | undefined, { omits = false } = {}): WindowToolsOffer {
    const before = this.stateOf(version);
    return { before, version, omitsWindowTools: omits || before === 'failing', hasWindowTools: false };
  }

  /** Whether the tools may be the reason why a session with this offer failed. */
  mayBeReason({ hasWindowTools, version }: WindowToolsOffer, { code }: BackendError): boolean {
    return hasWindowTools && this.stateOf(version) !== 'working' && !otherFailures.has(code);
  }

  /** Call when the session was opened, or has failed with this offer and was opened without the tools. */
  record({ before, hasWindowTools, version }: WindowToolsOffer, event: WindowToolsEvent): WindowToolsState {
    const known = this.stateOf(version);
    const state = hasWindowTools ? nextWindowToolsState(known, event, before) : known;
    if (state === known) return state;
    this.own = { version, state };
    if (version !== undefined) this.memory?.write(version, state);
    return state;
  }

  /** Gives the agent the tools again. */
  forget(): void {
    this.own = undefined;
    this.memory?.forget();
  }

  private stateOf(version: string | undefined): WindowToolsState {
    const stored = version === undefined ? undefined : this.memory?.read(version);
    // Another window may have found that they work.
    if (this.own && this.own.version === version && stored !== 'working') return this.own.state;
    return stored ?? 'unknown';
  }
}
