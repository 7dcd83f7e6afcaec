import { formatProgram } from '../../../base/common/text/visibleText';
import type { InstallPlan } from '../../common/install/agentInstall';
import { prependEnvironmentVariables } from '../../common/install/commandLine';
import { InstallError } from '../../common/install/installError';
import { completeTerms, termsOfPackage } from '../../common/terms/installTerms';
import { parsePythonSpec, type PackageSpec } from '../../common/install/packageSpec';
import type { RegistryAgent, UvxDistribution } from '../../common/registry/registryAgent';
import type {
  InstallContext,
  InstallationResult,
  DistributionInstaller,
  PreparedInstall,
} from '../distributionInstaller';
import type { FoundProgram, InstallPorts } from '../installPorts';

const uvPage = 'https://docs.astral.sh/uv/';

/**
 * Installs Python packages. uv downloads them into its own cache when they are first tried, and runs them from there.
 * The folder of a version contains only its manifest: Python environments contain absolute paths, so they cannot be
 * moved into place.
 */
export class UvxInstaller implements DistributionInstaller<'uvx'> {
  constructor(private readonly ports: InstallPorts) {}

  async prepare(
    agent: RegistryAgent,
    distribution: UvxDistribution,
    context: InstallContext,
  ): Promise<PreparedInstall> {
    context.onProgress({ stage: 'Looking for uv' });
    const uv = await this.findUv();
    const spec = toSpec(distribution);
    const { args, env } = distribution;
    const toolArgs = [...uv.args, ...uvArguments(spec, distribution.cmd)];
    const { id, name, version, license } = agent;
    const address = `${spec.name} in the Python package index that uv uses`;
    const plan: InstallPlan = {
      ...{ id, name, version, kind: 'uvx', address },
      terms: completeTerms(termsOfPackage(distribution), address, license),
      commandLine: prependEnvironmentVariables(env, formatProgram(['uv', ...toolArgs, ...args])),
    };
    const files: InstallationResult = {
      ...{ starts: [{ kind: 'tool', file: uv.file, toolArgs }], args, env, package: spec.name },
    };
    return { plan, install: () => Promise.resolve(files) };
  }

  /** @throws InstallError `uvMissing` */
  private async findUv(): Promise<FoundProgram> {
    const found = await this.ports.findProgram('uv', this.ports.environment());
    if (found) return found;
    throw new InstallError(
      'uvMissing',
      'It needs uv, which is not on PATH.',
      `Install uv from ${uvPage}, and try again.`,
    );
  }
}

/** Arguments for `uv tool run` (the same as `uvx`) with one exact version. */
function uvArguments({ name, version }: PackageSpec, cmd: string | undefined): string[] {
  const command = cmd ?? name.replace(/\[.*$/, '');
  return ['tool', 'run', '--no-progress', '--from', `${name}==${version}`, command];
}

/** @throws InstallError */
function toSpec(distribution: UvxDistribution): PackageSpec {
  const spec = parsePythonSpec(distribution.package);
  if (spec) return spec;
  throw new InstallError(
    'notSupportedHere',
    `The registry doesn’t specify an exact version of ${distribution.package}.`,
  );
}
