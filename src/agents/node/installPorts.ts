import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { AgentCommand } from '../common/install/agentInstall';
import type { Fetch } from '../../wire/node/outgoingHttp';

/** A program on the user's PATH, and its first arguments. The caller's arguments follow. */
export interface FoundProgram {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
}

type Variables = Readonly<Record<string, string>>;

/** The parts of the system, and of the code that runs agents, that the installer needs. */
export interface InstallPorts {
  readonly system: {
    readonly platform: NodeJS.Platform;
    readonly arch: string;
    /** The executable that runs scripts as Node.js with `ELECTRON_RUN_AS_NODE`: VS Code's own. */
    readonly execPath: string;
    /** Its version of Node.js, such as `22.15.1`. */
    readonly nodeVersion: string;
    /** Absolute path of the user's home folder. */
    readonly home: string;
  };
  /** The environment of VS Code, with its settings for the network. */
  readonly environment: () => Variables;
  /** Resolves to undefined if the PATH of `env` has no executable program of that name. Never rejects. */
  readonly findProgram: (name: string, env: Variables) => Promise<FoundProgram | undefined>;
  /** Ends a process that is the leader of its group, and its descendants. Never rejects. */
  readonly endProcessTree: (leaderPid: number) => Promise<void>;
  /** Ensures that a process group does not outlive this process. Disposed when the group has ended. */
  readonly guardProcess?: (leaderPid: number) => Disposable;
  /** Starts the agent and initializes the connection. @throws Error with a sentence for users if it does not start */
  readonly tryAgent: (command: AgentCommand, signal: AbortSignal) => Promise<unknown>;
  /** Whether this window runs an agent whose program is in this folder. */
  readonly isInUse: (folder: string) => boolean;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly log: Logger;
}
