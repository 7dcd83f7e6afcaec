import { isBackendError, type BackendErrorCode } from '../../../session/common/sessionBackend';
import type { AgentLimit } from '../../common/connection/agentLimitStore';

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

/** Decides whether one agent gets the window's tools. Some agents fail each session that has an MCP server. */
export class WindowToolsUse {
  private hasWorkedWith = false;
  private isTryingWithout = false;
  private ownLimit: { readonly version: string | undefined } | undefined;

  /** `memory` is shared by all windows; without it, the limit is known only here. */
  constructor(private readonly memory: (() => AgentLimit) | undefined) {}

  /** `version` is that of the running agent: an update ends the limit. */
  isOmitted(version: string | undefined): boolean {
    if (this.isTryingWithout || (this.ownLimit && this.ownLimit.version === version)) return true;
    this.memory?.().recordStart(version);
    return this.memory?.().isLimited === true;
  }

  markWorking(version: string | undefined): void {
    if (!this.isOmitted(version)) this.hasWorkedWith = true;
  }

  /** Whether the tools may be the reason for the failure of a session. */
  mayBeReason(error: unknown, version: string | undefined): boolean {
    if (this.hasWorkedWith || this.isOmitted(version)) return false;
    return isBackendError(error) && !otherFailures.has(error.code);
  }

  /** Runs `work` without the tools. If that succeeds, this version never gets them again; if not, returns undefined. */
  async tryWithout<T>(version: string | undefined, work: () => Promise<T>): Promise<T | undefined> {
    this.isTryingWithout = true;
    try {
      const result = await work();
      this.ownLimit = { version };
      this.memory?.().limit(version);
      return result;
    } catch {
      return undefined;
    } finally {
      this.isTryingWithout = false;
    }
  }
}
