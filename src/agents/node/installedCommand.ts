import { access } from 'node:fs/promises';
import * as path from 'node:path';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import type { AgentCommand, InstalledAgent } from '../common/install/agentInstall';
import type { RecordedTerms } from '../common/terms/installTerms';
import type { AgentStart, VersionManifest } from '../common/install/versionManifest';
import type { InstallPorts } from './installPorts';
import { editorRuntime } from './programs/nodeRuntimes';
import type { StoredVersion } from './storage/agentStorage';

/** Returns the command for an agent whose files are in `folder`. Uses VS Code's Node.js if the user's is missing. */
export async function toAgentCommand(
  folder: string,
  start: AgentStart,
  { args, env }: Pick<VersionManifest, 'args' | 'env'>,
  system: InstallPorts['system'],
): Promise<AgentCommand> {
  switch (start.kind) {
    case 'tool':
      return { command: start.file, args: [...start.toolArgs, ...args], env };
    case 'program':
      return { command: inFolder(folder, start.program), args, env };
    case 'script': {
      const own = start.node.source === 'path' && (await exists(start.node.file)) ? start.node.file : undefined;
      const editor = editorRuntime(system);
      return {
        command: own ?? editor.file,
        args: [...start.nodeArgs, inFolder(folder, start.script), ...args],
        env: own === undefined ? { ...env, ...editor.env } : env,
      };
    }
  }
}

export async function toInstalledAgent(
  { accounts, folder, manifest }: StoredVersion,
  system: InstallPorts['system'],
): Promise<InstalledAgent> {
  const { id, name, version, kind, bytes, installedAt } = manifest;
  const command = await toAgentCommand(folder, manifest.start, manifest, system);
  return {
    ...{ id, name, version, kind, ...command, folder, bytes, installedAt },
    terms: manifest.terms ?? termsOfOlderManifest(manifest),
    ...withoutUndefined({ package: manifest.package, accounts: accounts && [...accounts] }),
  };
}

/** The folder of a download and its program are not known. Nearly all packages choose their command. */
function termsOfOlderManifest({ args, env, kind, package: source }: VersionManifest): RecordedTerms {
  return source === undefined ? { kind, args, env } : { kind, args, env, source, command: '' };
}

function inFolder(folder: string, relative: string): string {
  return path.join(folder, ...relative.split('/'));
}

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}
