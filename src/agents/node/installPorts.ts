import type { Clock } from '../../base/common/async';
import type { Logger } from '../../base/common/log';
import type { AgentCommand } from '../common/install/agentInstall';

/** A program on the user's PATH, and the arguments that start it before those of the caller. */
export interface FoundProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/** What installing needs from the room that runs agents. */
export interface InstallPorts {
  /** The environment of the login shell. Never rejects. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Resolves to undefined if no such program is on the PATH of `env`. */
  readonly findProgram: (name: string, env: Readonly<Record<string, string>>) => Promise<FoundProgram | undefined>;
  /** Ends a process and its descendants. Never rejects. */
  readonly endProcessTree: (leaderPid: number) => Promise<void>;
  /** Starts the agent and initializes the connection. @throws Error with a sentence for users if it does not start */
  readonly tryAgent: (command: AgentCommand, signal: AbortSignal) => Promise<unknown>;
  /** Whether an agent whose program is in this folder runs in this window. */
  readonly isInUse: (folder: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}
