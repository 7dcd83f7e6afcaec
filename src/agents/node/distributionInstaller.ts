import type { InstallPlan, InstallProgress } from '../common/install/agentInstall';
import type { AgentStart } from '../common/install/versionManifest';
import type { Distribution, RegistryAgent } from '../common/registry/registryAgent';

export interface InstallContext {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: InstallProgress) => void;
}

/** Installs agents of one kind of distribution. */
export interface DistributionInstaller<Kind extends Distribution['kind']> {
  /** Determines what an installation would do. @throws InstallError if it cannot be installed here */
  prepare(
    agent: RegistryAgent,
    distribution: Extract<Distribution, { kind: Kind }>,
    context: InstallContext,
  ): Promise<PreparedInstall>;
}

export interface PreparedInstall {
  readonly plan: InstallPlan;
  /** Installs the agent in an empty folder. @throws InstallError, or errors of Node.js */
  install(folder: string): Promise<InstallationResult>;
}

export interface InstallationResult {
  /** Candidates for starting the agent, best first. */
  readonly starts: readonly AgentStart[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The package without its version. */
  readonly package?: string;
}
