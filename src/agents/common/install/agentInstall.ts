import * as z from 'zod';
import { distributionKinds, RecordedTerms, type InstallTerms } from '../terms/installTerms';

export const InstalledAgent = z.object({
  /** The registry's id. */
  id: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  name: z.string().min(1),
  version: z.string().min(1),
  kind: z.enum(distributionKinds),
  /** The npm or Python package without its version; absent for binaries. */
  package: z.string().optional(),
  /** Absolute path of the program. */
  command: z.string().min(1),
  args: z.array(z.string()),
  /** Added to the environment of VS Code. */
  env: z.record(z.string(), z.string()),
  /** What the user has agreed to. */
  terms: RecordedTerms,
  /** Absolute path of the folder of this version. */
  folder: z.string().min(1),
  /** Size of `folder`, in bytes. */
  bytes: z.number().nonnegative(),
  /** Milliseconds since the epoch. */
  installedAt: z.number(),
  /** The names of its further accounts, each of which has its own keys. */
  accounts: z.array(z.string()).optional(),
});
export type InstalledAgent = z.infer<typeof InstalledAgent>;

/** The command that starts an agent. */
export type AgentCommand = Pick<InstalledAgent, 'command' | 'args' | 'env'>;

/** Describes a step of an installation. `fraction` is between 0 and 1, and absent if unknown. */
export interface InstallProgress {
  readonly stage: string;
  readonly fraction?: number;
}

export type InstallState =
  | { readonly kind: 'available' }
  | ({ readonly kind: 'installing' } & InstallProgress)
  | { readonly kind: 'installed'; readonly version: string; readonly bytes: number }
  | { readonly kind: 'updateAvailable'; readonly version: string; readonly newVersion: string; readonly bytes: number }
  | { readonly kind: 'failed'; readonly message: string; readonly advice?: string };

interface PlannedAgent {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly kind: InstallTerms['kind'];
}

/** What an installation would do. The user must agree to it first. */
export interface InstallPlan extends PlannedAgent {
  /** What decides which program runs, and how. */
  readonly terms: InstallTerms;
  /** Where it comes from: the address of the archive, or of the package registry. */
  readonly address: string;
  /** Size in bytes, if known: of the download for binaries, unpacked and without dependencies for packages. */
  readonly bytes?: number;
  /** The command line that will run, for display. */
  readonly commandLine: string;
  /** The versions of Node.js that the agent needs. */
  readonly needsNode?: string;
  readonly problem?: undefined;
}

/** An installation that is not possible here. */
export interface ImpossiblePlan extends PlannedAgent {
  /** Why, in one sentence. */
  readonly problem: string;
  /** What to do about `problem`. */
  readonly advice?: string;
}
