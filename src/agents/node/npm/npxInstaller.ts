import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { formatProgram } from '../../../base/common/text/visibleText';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { InstallPlan } from '../../common/install/agentInstall';
import { prependEnvironmentVariables } from '../../common/install/commandLine';
import { InstallError } from '../../common/install/installError';
import { completeTerms, termsOfPackage } from '../../common/terms/installTerms';
import { chooseBin } from '../../common/install/packageBin';
import { parseNpmSpec, type PackageSpec } from '../../common/install/packageSpec';
import type { NpxDistribution, RegistryAgent } from '../../common/registry/registryAgent';
import type {
  InstallContext,
  InstallationResult,
  DistributionInstaller,
  PreparedInstall,
} from '../distributionInstaller';
import type { InstallPorts } from '../installPorts';
import { chooseRuntime, type NodeRuntime } from '../programs/nodeRuntimes';
import { NpmClient, type NpmClientOptions, type PackageFacts } from './npmClient';
import { findStartCandidates } from './startCandidates';

type NpxInstallerOptions = Omit<NpmClientOptions, 'onProgress'>;

interface CheckedPackage {
  readonly npm: NpmClient;
  readonly facts: PackageFacts;
  /** Runs the agent. */
  readonly node: NodeRuntime;
}

/** Installs npm packages with npm's client, without their install scripts. */
export class NpxInstaller implements DistributionInstaller<'npx'> {
  constructor(
    private readonly ports: InstallPorts,
    private readonly options: NpxInstallerOptions,
  ) {}

  async prepare(
    agent: RegistryAgent,
    distribution: NpxDistribution,
    context: InstallContext,
  ): Promise<PreparedInstall> {
    const spec = toSpec(distribution);
    const checked = await this.check(spec, context);
    const { facts } = checked;
    const bin = chooseBin(spec.name, facts.bin, distribution.cmd)?.name ?? spec.name;
    const { id, name, version } = agent;
    const address = facts.dist?.tarball ?? distribution.package;
    const plan: InstallPlan = {
      ...{ id, name, version, kind: 'npx', address },
      terms: completeTerms(termsOfPackage(distribution), address, facts.license ?? agent.license),
      commandLine: prependEnvironmentVariables(distribution.env, formatProgram([bin, ...distribution.args])),
      ...withoutUndefined({ bytes: facts.dist?.unpackedSize, needsNode: facts.engines?.node }),
    };
    return { plan, install: (folder) => this.install(spec, distribution, checked, folder, context) };
  }

  private async install(
    spec: PackageSpec,
    { cmd, args, env }: NpxDistribution,
    { npm, node }: CheckedPackage,
    folder: string,
    { signal, onProgress }: InstallContext,
  ): Promise<InstallationResult> {
    onProgress({ stage: 'Downloading and unpacking' });
    await writeFile(path.join(folder, 'package.json'), '{ "name": "agent", "private": true }\n');
    await npm.install(spec.name, spec.version, folder, signal);
    const { platform, arch } = this.ports.system;
    const starts = await findStartCandidates({ folder, packageName: spec.name, cmd, node, platform, arch });
    return { starts, args, env, package: spec.name };
  }

  /** Gets the package's data before anything is installed. @throws InstallError if no Node.js here can run the package */
  private async check({ name, version }: PackageSpec, { signal, onProgress }: InstallContext): Promise<CheckedPackage> {
    const { ports, options } = this;
    const report = (stage: string, fraction?: number): void => onProgress({ stage, ...withoutUndefined({ fraction }) });
    report('Looking up the package');
    const npm = await NpmClient.find(ports, { ...options, onProgress: report }, signal);
    const facts = await npm.view(name, version, ports.system.home, signal);
    const range = facts.engines?.node;
    const node = chooseRuntime(npm.runtimes, range);
    if (node) return { npm, facts, node };
    const found = npm.runtimes.map((runtime) => `${runtime.source === 'path' ? '' : 'VS Code’s '}${runtime.version}`);
    throw new InstallError(
      'nodeTooOld',
      `It needs Node.js ${range ?? '20 or newer'}. Found: ${found.join(' and ')}.`,
      'Install a current Node.js from https://nodejs.org, or update VS Code.',
    );
  }
}

function toSpec(distribution: NpxDistribution): PackageSpec {
  const spec = parseNpmSpec(distribution.package);
  if (spec) return spec;
  throw new InstallError(
    'notSupportedHere',
    `The registry doesn’t specify an exact version of ${distribution.package}.`,
  );
}
