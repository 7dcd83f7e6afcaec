import type { CheckpointFileChange, FileState } from '../../common/checkpoint';
import { CheckpointError, isCheckpointError } from '../../common/checkpointError';
import { isValidUtf8Name, splitNul } from '../../common/nameList';
import { kindOfMode, readRawDiff, type RawChange, type RawSide } from '../../common/rawDiff';
import { GitFailure, type PrivateRepository } from './privateRepository';

/** Maximum number of files for which Git detects renames. With more, they are shown as deleted and added. */
const mostRenamed = 2_000;

/** Reads trees and contents. Some of them are in the user's repository. */
export class TreeReader {
  constructor(private readonly repository: PrivateRepository) {}

  /** Contents that are no longer in the user's repository are compared by their ids: without counts of lines and renames. */
  async compare(from: string, to: string, findRenames: boolean, signal: AbortSignal): Promise<CheckpointFileChange[]> {
    const diff = (...how: readonly string[]): Promise<{ output: Buffer }> =>
      this.run(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-relative', ...how, from, to], signal);
    const renames = findRenames ? ['-M', `-l${mostRenamed}`] : ['--no-renames'];
    const readsContents = ['--numstat', '--no-ext-diff', '--no-textconv', '--no-color', ...renames];
    const { output } = await diff(...readsContents).catch((error: unknown) => {
      if (!isCheckpointError(error) || error.code !== 'contentMissing') throw error;
      return diff('--no-renames');
    });
    const raw = readRawDiff(splitNul(output)).filter(({ path }) => isValidUtf8Name(path));
    const objects = raw.flatMap(({ before, after }) => [before, after].flatMap((side) => (side ? [side.object] : [])));
    const sizes = await this.readSizes([...new Set(objects)], signal);
    return raw.flatMap((change) => changeOf(change, sizes));
  }

  /** Returns the state of a file in a tree. Undefined if the tree has no such file. */
  async findFile(tree: string, path: string, signal: AbortSignal): Promise<FileState | undefined> {
    const { output } = await this.run(['ls-tree', '-z', '--full-tree', tree, '--', path], signal);
    const [mode = '', , object = ''] = (splitNul(output)[0] ?? '').split(/[ \t]/);
    const kind = kindOfMode(mode);
    if (!kind) return undefined;
    const bytes = (await this.readSizes([object], signal)).get(object) ?? 0;
    return { kind, object, bytes };
  }

  /** Returns the names in a tree for which `isWanted` is true. */
  async listNames(tree: string, isWanted: (name: string) => boolean, signal: AbortSignal): Promise<string[]> {
    const { output } = await this.run(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree], signal);
    return splitNul(output).filter((name) => isValidUtf8Name(name) && isWanted(name));
  }

  /** Returns the object ids of all files in a tree, by path. */
  async listObjects(tree: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const { output } = await this.run(['ls-tree', '-r', '-z', '--full-tree', tree], signal);
    return new Map(
      splitNul(output).map((line) => {
        const end = line.indexOf('\t');
        return [line.slice(end + 1), line.slice(0, end).split(' ')[2] ?? ''];
      }),
    );
  }

  /** Returns those objects that are in Backline's own repository. */
  async findStored(objects: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
    const { output } = await this.repository.run({ args, input: `${objects.join('\n')}\n`, signal });
    const lines = output.toString().split('\n');
    return new Set(lines.flatMap((line) => (line.endsWith(' blob') ? [line.slice(0, -' blob'.length)] : [])));
  }

  /** Returns contents by object id. The result omits objects that can't be found. */
  async readContents(objects: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    const found = new Map<string, Buffer>();
    if (objects.length === 0) return found;
    const { output } = await this.run(['cat-file', '--batch'], signal, `${objects.join('\n')}\n`);
    for (let at = 0; at < output.length;) {
      const end = output.indexOf('\n', at);
      const [object = '', kind = '', size = ''] = output.toString('latin1', at, end).split(' ');
      at = end + 1;
      if (kind !== 'blob') continue;
      found.set(object, output.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
    return found;
  }

  /** Returns the `.gitignore` files of a tree, by path. */
  async readIgnoreFiles(tree: string, signal: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    const found = await this.listNames(tree, isIgnoreFile, signal);
    const objects = new Map<string, string>();
    for (const name of found) {
      const state = await this.findFile(tree, name, signal);
      if (state && state.kind !== 'symlink') objects.set(name, state.object);
    }
    const contents = await this.readContents([...new Set(objects.values())], signal);
    return new Map(
      [...objects].flatMap(([name, object]) => {
        const content = contents.get(object);
        return content ? [[name, content] as const] : [];
      }),
    );
  }

  private async readSizes(objects: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    if (objects.length === 0) return new Map();
    const args = ['cat-file', '--batch-check=%(objectname) %(objectsize)'];
    const { output } = await this.run(args, signal, `${objects.join('\n')}\n`);
    const lines = output
      .toString()
      .split('\n')
      .map((line) => line.split(' '));
    return new Map(lines.map(([object = '', size = '']) => [object, Number(size) || 0]));
  }

  private async run(args: readonly string[], signal: AbortSignal, input?: string): Promise<{ output: Buffer }> {
    try {
      return await this.repository.run({ args, signal, withUserObjects: true, ...(input !== undefined && { input }) });
    } catch (error) {
      if (!(error instanceof GitFailure) || !/unable to read|bad (object|tree)|not a tree object/i.test(error.errors)) {
        throw error;
      }
      const words = 'Part of the checkpoint no longer exists because it was removed from your repository.';
      throw new CheckpointError('contentMissing', words, { cause: error });
    }
  }
}

export function isIgnoreFile(name: string): boolean {
  return name === '.gitignore' || name.endsWith('/.gitignore');
}

function changeOf(raw: RawChange, sizes: ReadonlyMap<string, number>): CheckpointFileChange[] {
  const { path, from, isBinary, addedLines, deletedLines } = raw;
  const stateOf = (side: RawSide | undefined): FileState | undefined =>
    side && { ...side, bytes: sizes.get(side.object) ?? 0 };
  const [before, after] = [stateOf(raw.before), stateOf(raw.after)];
  const compared = { path, isBinary, addedLines, deletedLines };
  if (before && after && from !== undefined) return [{ ...compared, status: 'renamed', from, before, after }];
  if (before && after) {
    const isOtherType = (before.kind === 'symlink') !== (after.kind === 'symlink');
    const status = isOtherType ? 'typeChanged' : before.object === after.object ? 'modeChanged' : 'modified';
    return [{ ...compared, status, before, after }];
  }
  if (after) return [{ ...compared, status: 'added', after }];
  return before ? [{ ...compared, status: 'deleted', before }] : [];
}
