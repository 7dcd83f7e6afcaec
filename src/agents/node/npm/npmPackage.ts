import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import * as path from 'node:path';
import { errorCode } from '../../../base/common/errors';
import { npmRegistryOf, parseNpmrc, type NpmRegistry } from '../../common/install/npmConfig';
import { ArchiveFolder } from '../archive/archiveFolder';
import { unpackTar } from '../archive/unpackTar';
import { downloadFile } from '../download/downloadFile';
import type { InstallPorts } from '../installPorts';

/** One version of npm's client. Its package contains all that it depends on. */
export interface NpmRelease {
  readonly version: string;
  readonly sha512Base64: string;
  /** The versions of Node.js that run it. */
  readonly nodeRange: string;
}

/** Runs on the Node.js of every VS Code that Backline supports; npm 12 does not. */
export const pinnedNpm: NpmRelease = {
  version: '11.19.1',
  sha512Base64: 'ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g==',
  nodeRange: '^20.17.0 || >=22.9.0',
};

const maxTarballBytes = 32 * 1024 * 1024;
const maxNpmrcBytes = 1024 * 1024;

interface NpmPackageOptions {
  readonly release: NpmRelease;
  /** Folder in our storage that keeps unpacked clients. */
  readonly folder: string;
  /** Creates a folder for unfinished files. */
  readonly makeStaging: () => Promise<string>;
  readonly discard: (staging: string) => Promise<void>;
  readonly silenceMs: number;
  readonly onFraction: (fraction: number | undefined) => void;
}

/** Downloads npm from the user's npm registry, unless it is already stored. Returns the path of its script. @throws InstallError */
export async function provideNpm(
  options: NpmPackageOptions,
  ports: InstallPorts,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const script = path.join(options.folder, options.release.version, 'package', 'bin', 'npm-cli.js');
  if (await isFile(script)) return script;
  options.onFraction(undefined);
  const registry = await userRegistry(ports, env);
  const staging = await options.makeStaging();
  try {
    await loadNpm(staging, registry, options, ports, signal);
  } catch (error) {
    // Another window has stored it in the meantime.
    if (!(await isFile(script))) throw error;
  } finally {
    await options.discard(staging);
  }
  return script;
}

/** @throws InstallError, or errors of Node.js */
async function loadNpm(
  staging: string,
  registry: NpmRegistry,
  { release, folder, silenceMs, onFraction }: NpmPackageOptions,
  ports: InstallPorts,
  signal: AbortSignal,
): Promise<void> {
  const file = path.join(staging, 'npm.tgz');
  await downloadFile({
    address: `${registry.url}npm/-/npm-${release.version}.tgz`,
    file,
    hash: { algorithm: 'sha512', hex: Buffer.from(release.sha512Base64, 'base64').toString('hex') },
    headers: registry.authorization === undefined ? {} : { authorization: registry.authorization },
    fetch: ports.fetch,
    clock: ports.clock,
    signal,
    maxBytes: maxTarballBytes,
    silenceMs,
    allowsLoopback: true,
    onFraction,
  });
  const unpacked = path.join(staging, 'npm');
  await unpackTar(file, 'gzip', new ArchiveFolder(unpacked, signal));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(unpacked, path.join(folder, release.version));
}

async function userRegistry(ports: InstallPorts, env: Readonly<Record<string, string>>): Promise<NpmRegistry> {
  const ownFile = Object.entries(env).find(([name]) => name.toLowerCase() === 'npm_config_userconfig')?.[1];
  const file = ownFile === undefined || ownFile === '' ? path.join(ports.system.home, '.npmrc') : ownFile;
  const text = await readSmallFile(file);
  return npmRegistryOf(parseNpmrc(text, env), env);
}

/** Empty if the file is missing or too large. */
async function readSmallFile(file: string): Promise<string> {
  try {
    return (await stat(file)).size > maxNpmrcBytes ? '' : await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return '';
  }
}

async function isFile(file: string): Promise<boolean> {
  return await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
