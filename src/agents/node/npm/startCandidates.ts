import { open, readdir, readFile, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { isInsideFolder } from '../../../base/node/isInsideFolder';
import { InstallError } from '../../common/install/installError';
import { chooseBin, PackageBin, type ChosenBin } from '../../common/install/packageBin';
import { programKindOf, type ProgramKind } from '../../common/install/programHead';
import type { AgentStart } from '../../common/install/versionManifest';
import type { NodeRuntime } from '../programs/nodeRuntimes';

const Manifest = z.object({
  bin: PackageBin,
  optionalDependencies: z.record(z.string(), z.string()).optional().catch(undefined),
  os: z.array(z.string()).optional().catch(undefined),
  cpu: z.array(z.string()).optional().catch(undefined),
});
type Manifest = z.infer<typeof Manifest>;

interface StartOptions {
  /** Absolute path; has `node_modules` in it. */
  readonly folder: string;
  readonly packageName: string;
  readonly cmd: string | undefined;
  /** Runs scripts. */
  readonly node: NodeRuntime;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
}

/**
 * Returns the possible programs for starting a package's agent, best first: its command, then programs with the same
 * name in its packages for this system. Some packages replace their command with such a program in an install script,
 * which is not run.
 * @throws InstallError if there is none
 */
export async function findStartCandidates(options: StartOptions): Promise<readonly AgentStart[]> {
  const { folder, packageName, cmd } = options;
  const ownFolder = path.join(folder, 'node_modules', packageName);
  const manifest = await readManifest(ownFolder);
  const bin = manifest && chooseBin(packageName, manifest.bin, cmd);
  if (!manifest || !bin) throw noCommandError(packageName);
  const starts = [await toStart(path.join(ownFolder, bin.file), options)];
  if (starts[0]?.kind !== 'script') starts.push(...(await findPlatformPrograms(manifest, bin, options)));
  const found = starts.filter((start) => start !== undefined);
  if (found.length === 0) throw noCommandError(packageName);
  return found;
}

/** In the order of their names, so that the plain package comes before variants such as `-baseline` and `-musl`. */
async function findPlatformPrograms(
  manifest: Manifest,
  bin: ChosenBin,
  options: StartOptions,
): Promise<(AgentStart | undefined)[]> {
  const { folder, platform, arch } = options;
  const fileName = path.posix.basename(bin.file).replace(/\.exe$/i, '');
  const names = new Set([bin.name, fileName].flatMap((name) => [name, `${name}.exe`]));
  const starts: (AgentStart | undefined)[] = [];
  for (const dependency of Object.keys(manifest.optionalDependencies ?? {}).toSorted()) {
    const own = path.join(folder, 'node_modules', dependency);
    const facts = await readManifest(own);
    if (facts?.os?.includes(platform) !== true || facts.cpu?.includes(arch) !== true) continue;
    for (const place of [own, path.join(own, 'bin')]) {
      const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
      const programs = entries.filter((entry) => entry.isFile() && names.has(entry.name));
      for (const { name } of programs) starts.push(await toStart(path.join(place, name), options));
    }
  }
  return starts.filter((start) => start?.kind === 'program');
}

/** Undefined for files that are missing, outside the folder or not programs. */
async function toStart(file: string, { folder, node }: StartOptions): Promise<AgentStart | undefined> {
  const real = await realpath(file).catch(() => undefined);
  const root = await realpath(folder);
  if (real === undefined || !isInsideFolder(real, root)) return undefined;
  const relative = path.relative(root, real).split(path.sep).join('/');
  const program = await readProgramKind(real);
  if (program.kind === 'native') return { kind: 'program', program: relative };
  if (program.kind !== 'nodeScript') return undefined;
  const choice = node.source === 'path' ? { source: node.source, file: node.file } : { source: node.source };
  return { kind: 'script', script: relative, nodeArgs: [...program.nodeArgs], node: choice };
}

async function readProgramKind(file: string): Promise<ProgramKind> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
    return programKindOf(path.basename(file), buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => '');
  return Manifest.safeParse(parseJson(text)).data;
}

function noCommandError(packageName: string): InstallError {
  const message = `${packageName} contains no command that runs here.`;
  return new InstallError('doesNotStart', message, 'Report this to the agent’s authors.');
}
