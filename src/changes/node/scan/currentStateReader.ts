import { lstat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../base/common/async';
import { BoundedMap } from '../../../base/common/boundedMap';
import type { CurrentFileState } from '../../common/workspaceCheckpoints';
import { mapConcurrently, hashFileState } from './fileStatus';
import { SymlinkInPathError, withHeldFolder } from '../restore/withHeldFolder';
import type { FileSystemTraits } from '../restore/restoreStep';

interface KnownState {
  readonly identity: string;
  readonly state: CurrentFileState;
}

/** Resolution of file timestamps. A file written more recently can change again without a new timestamp. */
const timeStepMs = 2_000;

/** Reads the states of files on disk. Files with unchanged timestamps are not read again. */
export class CurrentStateReader {
  private readonly knownByPath = new BoundedMap<string, KnownState>({ maxEntries: 10_000 });

  constructor(
    private readonly root: string,
    private readonly clock: Clock,
    private readonly maxBytes: number,
  ) {}

  /** Returns states by path. The state of an unreadable file is `other`. @throws Error when `signal` fires */
  async read(
    names: readonly string[],
    traits: Pick<FileSystemTraits, 'format' | 'tellsExecutable'>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, CurrentFileState>> {
    const states = await mapConcurrently(
      names,
      async (name) => [name, await this.readOne(name, traits).catch(() => 'other' as const)] as const,
      signal,
    );
    return new Map(states);
  }

  private async readOne(
    name: string,
    { format, tellsExecutable }: Pick<FileSystemTraits, 'format' | 'tellsExecutable'>,
  ): Promise<CurrentFileState> {
    try {
      return await withHeldFolder(this.root, name.split('/').slice(0, -1), false, async (folder) => {
        const file = path.join(folder, path.posix.basename(name));
        const identity = await this.versionTokenOf(file);
        const known = this.knownByPath.get(name);
        if (known && known.identity === identity) return known.state;
        const state = await hashFileState(file, format, tellsExecutable, this.maxBytes);
        if (identity === undefined) this.knownByPath.delete(name);
        else this.knownByPath.set(name, { identity, state });
        return state;
      });
    } catch (error) {
      if (error instanceof SymlinkInPathError) return undefined;
      throw error;
    }
  }

  /** Returns a token of the file's version. Undefined if the file must be read. */
  private async versionTokenOf(file: string): Promise<string | undefined> {
    const info = await lstat(file, { bigint: true }).catch(() => undefined);
    if (!info || this.clock.now() - Number(info.mtimeMs) < timeStepMs) return undefined;
    const { ctimeNs, dev, ino, mode, mtimeNs, size } = info;
    return [dev, ino, mode, size, mtimeNs, ctimeNs].join(':');
  }
}
