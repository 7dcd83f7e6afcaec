import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import type { InstallPorts } from '../installPorts';
import { runProgram } from './runProgram';
import { satisfiesNode } from './nodeRange';

/** A program that runs scripts like Node.js. */
export interface NodeRuntime {
  /** `path`: found on PATH. `editor`: VS Code's own. */
  readonly source: 'path' | 'editor';
  /** Absolute path. */
  readonly file: string;
  readonly version: string;
  /** Variables that it needs. */
  readonly env: Readonly<Record<string, string>>;
}

/** Older versions are not used, even if an agent does not specify a range. */
const oldestVersion = '>=20';
const versionTimeoutMs = 10_000;

const NodeAnswer = z.object({ file: z.string().min(1), version: z.string().regex(/^\d+\.\d+\.\d+/) });

export function editorRuntime({ execPath, nodeVersion }: InstallPorts['system']): NodeRuntime {
  // Without ELECTRON_NO_ASAR, files that end with `.asar` would look like folders.
  const env = { ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ASAR: '1' };
  return { source: 'editor', file: execPath, version: nodeVersion, env };
}

/** The Node.js on PATH, if it works. Never rejects, except if cancelled. @throws InstallError if cancelled */
export async function findNodeOnPath(
  ports: InstallPorts,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<NodeRuntime | undefined> {
  const found = await ports.findProgram('node', env);
  if (!found) return undefined;
  // The script also prints the path, because version managers put launchers on PATH that start a version in another
  // folder.
  const question = 'console.log(JSON.stringify({ file: process.execPath, version: process.versions.node }))';
  const args = [...found.args, '-e', question];
  const call = { file: found.file, args, env, cwd: ports.system.home, timeoutMs: versionTimeoutMs };
  try {
    const { stdout } = await runProgram(call, ports, signal);
    const answer = NodeAnswer.safeParse(parseJson(stdout)).data;
    return answer && { source: 'path', file: answer.file, version: answer.version, env: {} };
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** Returns the first runtime whose version is supported and in the range. */
export function chooseRuntime(runtimes: readonly NodeRuntime[], range: string | undefined): NodeRuntime | undefined {
  return runtimes.find(
    ({ version }) => satisfiesNode(version, oldestVersion) && (range === undefined || satisfiesNode(version, range)),
  );
}
