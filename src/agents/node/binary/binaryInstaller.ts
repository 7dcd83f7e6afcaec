import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { formatProgram } from '../../../base/common/text/visibleText';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { InstallPlan } from '../../common/install/agentInstall';
import { archiveFormatOf, type ArchiveFormat } from '../../common/install/archiveFormat';
import { safeCommandPath } from '../../common/install/archivePath';
import { prependEnvironmentVariables } from '../../common/install/commandLine';
import { InstallError } from '../../common/install/installError';
import { completeTerms, termsOfDownload } from '../../common/terms/installTerms';
import { toPlatformKey } from '../../common/install/platformKey';
import type { BinaryDistribution, BinaryTarget, RegistryAgent } from '../../common/registry/registryAgent';
import { ArchiveFolder, defaultArchiveLimits, type ArchiveLimits } from '../archive/archiveFolder';
import { unpackTar } from '../archive/unpackTar';
import { unpackZip } from '../archive/unpackZip';
import { downloadFile } from '../download/downloadFile';
import { openDownload, type DownloadOptions } from '../download/openDownload';
import type {
  InstallContext,
  InstallationResult,
  DistributionInstaller,
  PreparedInstall,
} from '../distributionInstaller';
import type { InstallPorts } from '../installPorts';

interface BinaryInstallerOptions {
  /** Maximum time without data from a server. */
  readonly silenceMs: number;
  readonly maxDownloadBytes?: number;
  readonly archiveLimits?: ArchiveLimits;
}

const defaultMaxDownloadBytes = 512 * 1024 * 1024;

/** The target for this system, with checked members. */
interface CheckedTarget {
  readonly target: BinaryTarget;
  readonly format: ArchiveFormat;
  readonly program: readonly string[];
}

/** Installs programs from archives. */
export class BinaryInstaller implements DistributionInstaller<'binary'> {
  constructor(
    private readonly ports: InstallPorts,
    private readonly options: BinaryInstallerOptions,
  ) {}

  async prepare(
    agent: RegistryAgent,
    distribution: BinaryDistribution,
    context: InstallContext,
  ): Promise<PreparedInstall> {
    const checked = this.check(distribution);
    const { target, program } = checked;
    context.onProgress({ stage: 'Looking up the download' });
    const { id, name, version, license } = agent;
    const { archive: address, args, env } = target;
    const plan: InstallPlan = {
      ...{ id, name, version, kind: 'binary', address },
      terms: completeTerms(termsOfDownload(target, version), address, license),
      commandLine: prependEnvironmentVariables(env, formatProgram([program.at(-1) ?? '', ...args])),
      ...withoutUndefined({ bytes: await this.downloadSizeOf(target, context) }),
    };
    return { plan, install: (folder) => this.install(checked, folder, context) };
  }

  private async install(
    { target, format, program }: CheckedTarget,
    folder: string,
    context: InstallContext,
  ): Promise<InstallationResult> {
    const file = path.join(folder, 'download');
    const { archive: address, sha256, args, env } = target;
    const report = (fraction: number | undefined): void =>
      context.onProgress({ stage: 'Downloading', ...withoutUndefined({ fraction }) });
    report(undefined);
    const hash = sha256 === undefined ? {} : { hash: { algorithm: 'sha256', hex: sha256 } as const };
    await downloadFile({ ...this.downloadOptions(context), address, file, ...hash, onFraction: report });
    context.onProgress({ stage: 'Unpacking' });
    const unpacked = path.join(folder, 'program');
    const executable = path.join(unpacked, ...program);
    const archiveFolder = new ArchiveFolder(
      unpacked,
      context.signal,
      this.options.archiveLimits ?? defaultArchiveLimits,
    );
    if (format === 'zip') await unpackZip(file, archiveFolder);
    else if (format !== 'program') await unpackTar(file, format === 'tar.gz' ? 'gzip' : 'bzip2', archiveFolder);
    else {
      await mkdir(path.dirname(executable), { recursive: true });
      await rename(file, executable);
    }
    await rm(file, { force: true });
    if (!(await isFile(executable))) {
      const message = `The archive does not contain ${program.join('/')}, the program that the registry names.`;
      throw new InstallError('doesNotStart', message, 'Report this to the agent’s authors.');
    }
    await chmod(executable, 0o755);
    return { starts: [{ kind: 'program', program: ['program', ...program].join('/') }], args, env };
  }

  /** @throws InstallError if there is nothing for this system */
  private check({ targets }: BinaryDistribution): CheckedTarget {
    const { platform, arch } = this.ports.system;
    const key = toPlatformKey(platform, arch);
    const target = key && targets[key];
    if (!target) {
      const message = `It is not available for this system (${platform}, ${arch}).`;
      throw new InstallError('notSupportedHere', message, 'Check its website.');
    }
    const format = archiveFormatOf(target.archive);
    const program = safeCommandPath(target.cmd, platform);
    if (format && program) return { target, format, program };
    const message = format
      ? 'The registry names a program outside the agent’s folder.'
      : 'The format of its archive is not supported.';
    throw new InstallError('notSupportedHere', message, 'Report this to the agent’s authors.');
  }

  /** Undefined if the server does not report the size. @throws InstallError if it does not answer */
  private async downloadSizeOf({ archive }: BinaryTarget, context: InstallContext): Promise<number | undefined> {
    const download = await openDownload(archive, this.downloadOptions(context));
    download.dispose();
    return download.totalBytes;
  }

  private downloadOptions({ signal }: InstallContext): DownloadOptions {
    const { fetch, clock } = this.ports;
    const { silenceMs, maxDownloadBytes: maxBytes = defaultMaxDownloadBytes } = this.options;
    return { fetch, clock, signal, silenceMs, maxBytes, allowsLoopback: false };
  }
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
