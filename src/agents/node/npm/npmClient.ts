import { readFile, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { InstallError } from '../../common/install/installError';
import { PackageBin } from '../../common/install/packageBin';
import { toNpmFailure } from '../../common/install/npmFailure';
import type { InstallPorts } from '../installPorts';
import { chooseRuntime, editorRuntime, findNodeOnPath, type NodeRuntime } from '../programs/nodeRuntimes';
import { runProgram } from '../programs/runProgram';
import { pinnedNpm, provideNpm, type NpmRelease } from './npmPackage';

const NpmManifest = z.object({
  name: z.literal('npm'),
  version: z.string(),
  engines: z.object({ node: z.string().optional() }).optional(),
});

const PackageFacts = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().max(200).optional().catch(undefined),
  engines: z
    .object({ node: z.string().max(200).optional() })
    .optional()
    .catch(undefined),
  bin: PackageBin,
  dist: z
    .object({ tarball: z.url().optional().catch(undefined), unpackedSize: z.number().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
/** What the npm registry reports about one version of a package. */
export type PackageFacts = z.infer<typeof PackageFacts>;

export interface NpmClientOptions {
  /** Folder in our storage that keeps unpacked clients. */
  readonly folder: string;
  readonly makeStaging: () => Promise<string>;
  readonly discard: (staging: string) => Promise<void>;
  readonly release?: NpmRelease;
  /** Maximum time without data from the npm registry. */
  readonly silenceMs: number;
  readonly onProgress: (stage: string, fraction?: number) => void;
}

interface NpmCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly packageName: string;
  readonly timeoutMs: number;
}

/** The oldest version of a user's npm that is used. Older ones write a lockfile in another format. */
const oldestNpmMajor = 8;
const viewTimeoutMs = 2 * 60_000;
const installTimeoutMs = 30 * 60_000;

/** npm and the Node.js that runs it: the user's npm if it is on PATH, otherwise a downloaded one. */
export class NpmClient {
  private constructor(
    private readonly script: string,
    private readonly runner: NodeRuntime,
    /** The Node.js runtimes for agents, best first. */
    readonly runtimes: readonly NodeRuntime[],
    private readonly env: Readonly<Record<string, string>>,
    private readonly options: NpmClientOptions,
    private readonly ports: InstallPorts,
  ) {}

  /** @throws InstallError */
  static async find(ports: InstallPorts, options: NpmClientOptions, signal: AbortSignal): Promise<NpmClient> {
    const env = ports.environment();
    const onPath = await findNodeOnPath(ports, env, signal);
    const runtimes = [...(onPath ? [onPath] : []), editorRuntime(ports.system)];
    const own = await findOwnNpm(ports, env, onPath);
    const ownRunner = own && chooseRuntime(runtimes, own.nodeRange);
    if (own && ownRunner) return new NpmClient(own.script, ownRunner, runtimes, env, options, ports);
    const { release = pinnedNpm } = options;
    const runner = chooseRuntime(runtimes, release.nodeRange);
    if (!runner) {
      const versions = runtimes.map(({ version }) => version).join(' and ');
      const message = `npm needs Node.js ${release.nodeRange}. Found: ${versions}.`;
      throw new InstallError('nodeTooOld', message, 'Install a current Node.js, or update VS Code.');
    }
    const onFraction = (fraction: number | undefined): void => options.onProgress('Downloading npm', fraction);
    const script = await provideNpm({ ...options, release, onFraction }, ports, env, signal);
    return new NpmClient(script, runner, runtimes, env, options, ports);
  }

  /** Gets the data of one version from the npm registry. @throws InstallError */
  async view(name: string, version: string, cwd: string, signal: AbortSignal): Promise<PackageFacts> {
    const packageName = `${name}@${version}`;
    const args = ['view', packageName, 'name', 'version', 'license', 'engines', 'bin', 'dist', '--json'];
    const stdout = await this.run({ args, cwd, packageName, timeoutMs: viewTimeoutMs }, signal);
    const answer = parseJson(stdout);
    // Depending on its version, npm prints an object or a list with one object.
    const facts = PackageFacts.safeParse(Array.isArray(answer) && answer.length === 1 ? answer[0] : answer).data;
    if (facts?.name === name && facts.version === version) return facts;
    throw new InstallError(
      'serverError',
      `The npm registry returned no data about ${packageName}.`,
      'Try again later.',
    );
  }

  /** Installs one version into `folder`, which has a package.json and nothing else. @throws InstallError */
  async install(name: string, version: string, folder: string, signal: AbortSignal): Promise<void> {
    const packageName = `${name}@${version}`;
    const args = ['install', packageName, '--prefix', folder, ...installFlags, '--json'];
    await this.run({ args, cwd: folder, packageName, timeoutMs: installTimeoutMs }, signal);
  }

  /** Returns what it prints. @throws InstallError */
  private async run({ args, cwd, packageName, timeoutMs }: NpmCall, signal: AbortSignal): Promise<string> {
    const { runner, script, ports, options } = this;
    const limits = [`--fetch-timeout=${options.silenceMs}`, '--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
    const call = {
      file: runner.file,
      args: [script, ...args, ...limits, ...commonFlags],
      env: { ...this.env, ...runner.env },
      cwd,
      timeoutMs,
    };
    const { code, stdout, stderrTail } = await runProgram(call, ports, signal);
    if (code === 0) return stdout;
    const failure = toNpmFailure(stdout, stderrTail, packageName);
    ports.log.warn(`npm ended with ${code ?? 'a signal'} for ${packageName}: ${failure.message}`);
    throw failure;
  }
}

const commonFlags = ['--loglevel=error', '--no-update-notifier', '--no-progress', '--no-color', '--no-global'];

/** Override the user's configuration, which could omit platform packages or the lockfile. */
const installFlags = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--save',
  '--save-exact',
  '--package-lock',
  '--include=optional',
  '--omit=dev',
  '--no-dry-run',
  '--no-workspaces',
  '--install-strategy=hoisted',
];

/** Finds the user's npm. Undefined if npm is not a script, such as the launchers of version managers. */
async function findOwnNpm(
  ports: InstallPorts,
  env: Readonly<Record<string, string>>,
  onPath: NodeRuntime | undefined,
): Promise<{ readonly script: string; readonly nodeRange: string | undefined } | undefined> {
  const found = await ports.findProgram('npm', env);
  const launchers = found ? [found.file, ...found.args] : [];
  const resolved = await Promise.all(launchers.map((file) => realpath(file).catch(() => file)));
  const folders = [
    ...resolved.map((file) => path.dirname(file)),
    ...(onPath ? foldersOf(onPath, ports.system.platform) : []),
  ];
  const candidates = [
    ...resolved.filter((file) => path.basename(file) === 'npm-cli.js'),
    ...folders.map((folder) => path.join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js')),
  ];
  for (const script of candidates) {
    const text = await readFile(path.join(path.dirname(script), '..', 'package.json'), 'utf8').catch(() => '');
    const manifest = NpmManifest.safeParse(parseJson(text)).data;
    if (manifest && Number(manifest.version.split('.')[0]) >= oldestNpmMajor)
      return { script, nodeRange: manifest.engines?.node };
  }
  return undefined;
}

/** Returns the folders in which the installers of Node.js place npm. */
function foldersOf({ file }: NodeRuntime, platform: NodeJS.Platform): string[] {
  const folder = path.dirname(file);
  return platform === 'win32' ? [folder] : [path.join(folder, '..', 'lib')];
}
