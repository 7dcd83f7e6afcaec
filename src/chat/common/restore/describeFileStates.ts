import type { FileKind, FileState } from '../../../changes/common/checkpoint';
import type { FileStatesBeforeAndAfter } from '../chatPorts';

const kindNames: Record<FileKind, string> = {
  file: 'file',
  executable: 'executable file',
  symlink: 'symbolic link',
};

/** Describes a change without texts, for example `file of 12 KB before, executable file of 12 KB after`. */
export function describeFileStates({ after, before }: FileStatesBeforeAndAfter): string {
  return `${sideText(before)} before, ${sideText(after)} after`;
}

function sideText(state: FileState | undefined): string {
  if (!state) return 'no file';
  const name = kindNames[state.kind];
  return state.kind === 'symlink' ? name : `${name} of ${sizeText(state.bytes)}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const isSmall = bytes < 1024 * 1024;
  const size = bytes / (isSmall ? 1024 : 1024 * 1024);
  return `${size.toFixed(size < 10 ? 1 : 0)} ${isSmall ? 'KB' : 'MB'}`;
}
