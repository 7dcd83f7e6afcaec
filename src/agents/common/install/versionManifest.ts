import * as z from 'zod';
import { AccountName } from '../agentAccounts';
import { InstalledAgent } from './agentInstall';
import { InstallTerms } from '../terms/installTerms';

const NodeChoice = z.discriminatedUnion('source', [
  /** Absolute path of the user's Node.js. If it is missing, VS Code's Node.js is used. */
  z.object({ source: z.literal('path'), file: z.string().min(1) }),
  /** VS Code's own Node.js, whose path changes with each update of VS Code. */
  z.object({ source: z.literal('editor') }),
]);

/** How an agent is started. Paths are relative to the folder of its version, with slashes. */
const AgentStart = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('script'), script: z.string().min(1), nodeArgs: z.array(z.string()), node: NodeChoice }),
  z.object({ kind: z.literal('program'), program: z.string().min(1) }),
  /** A program of the user, such as `uv`, by its absolute path, with arguments before those of the agent. */
  z.object({ kind: z.literal('tool'), file: z.string().min(1), toolArgs: z.array(z.string()) }),
]);
export type AgentStart = z.infer<typeof AgentStart>;

const { id, name, version, kind, package: packageName, args, env, bytes, installedAt } = InstalledAgent.shape;

/** A file in the folder of each installed version. The index can be rebuilt from these files. */
export const VersionManifest = z.object({
  schemaVersion: z.literal(1),
  ...{ id, name, version, kind, package: packageName, args, env, bytes, installedAt },
  start: AgentStart,
  /** What the user has agreed to. Missing in manifests of older versions of Backline. */
  terms: InstallTerms.optional().catch(undefined),
});
export type VersionManifest = z.infer<typeof VersionManifest>;

/** The folder of the installed version of each agent, and the names of the agent's further accounts. */
export const InstalledIndex = z.object({
  schemaVersion: z.literal(1),
  agents: z.record(
    id,
    z.object({
      folder: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+_-]{0,127}$/),
      accounts: z.array(AccountName).optional().catch(undefined),
    }),
  ),
});
export type InstalledIndex = z.infer<typeof InstalledIndex>;
