import type { PlatformKey } from '../registry/registryAgent';

const systems: Readonly<Record<string, 'darwin' | 'linux' | 'windows'>> = {
  darwin: 'darwin',
  linux: 'linux',
  win32: 'windows',
};
const processors: Readonly<Record<string, 'aarch64' | 'x86_64'>> = { arm64: 'aarch64', x64: 'x86_64' };

/** The registry's name of a system, from Node.js's `platform` and `arch`. Undefined if the registry has none. */
export function toPlatformKey(platform: string, arch: string): PlatformKey | undefined {
  const system = systems[platform];
  const processor = processors[arch];
  return system && processor ? `${system}-${processor}` : undefined;
}
