import * as z from 'zod';
import { RequiredText, optionalText, type ToolCallContent } from '../session/wireSchema';
import { parseGitPatch, type PatchedFile } from './gitPatch';

/** One file of a diff. An unknown operation keeps its path. */
export const DiffFileChange = z.looseObject({
  operation: RequiredText,
  path: RequiredText,
  oldPath: optionalText,
  fileType: optionalText,
});
type DiffFileChange = z.infer<typeof DiffFileChange>;

export const Patch = z.looseObject({ format: RequiredText, text: RequiredText });

interface Diff {
  readonly changes: readonly DiffFileChange[];
  readonly patch?: z.infer<typeof Patch> | null | undefined;
}

const verbs: Readonly<Record<string, string>> = {
  add: 'Created',
  delete: 'Deleted',
  modify: 'Changed',
  move: 'Moved',
  copy: 'Copied',
};

/**
 * Converts a diff to content. `changes` lists the affected files; a patch only adds their text. A hunk is a part of a
 * file, so each becomes a diff of its own.
 */
export function contentOfDiff({ changes, patch }: Diff): ToolCallContent[] {
  const patched = patch?.format === 'git_patch' ? parseGitPatch(patch.text) : [];
  return changes.flatMap((change) => contentOfChange(change, findPatchOf(change, patched)));
}

function contentOfChange(change: DiffFileChange, patched: PatchedFile | undefined): ToolCallContent[] {
  const { operation, path, oldPath } = change;
  const isWhole = operation === 'add' || operation === 'delete';
  const hunks = (patched?.hunks ?? []).map(({ before, after }): ToolCallContent => ({
    type: 'diff',
    path,
    oldText: operation === 'add' ? null : before,
    newText: operation === 'delete' ? '' : after,
  }));
  const isPlain = hunks.length > 0 && (isWhole || operation === 'modify');
  return [...(isPlain ? [] : [{ type: 'change' as const, path, oldPath, text: sentenceOf(change) }]), ...hunks];
}

function sentenceOf({ operation, path, oldPath, fileType }: DiffFileChange): string {
  const verb = verbs[operation] ?? `${operation.slice(0, 100)}:`;
  const kind = fileType === undefined || fileType === 'text' ? '' : ` (${fileType.slice(0, 100)})`;
  return oldPath === undefined ? `${verb} ${path}${kind}` : `${verb} ${oldPath} to ${path}${kind}`;
}

function findPatchOf({ oldPath, path }: DiffFileChange, patched: readonly PatchedFile[]): PatchedFile | undefined {
  const isSame = (found: string | undefined, wanted: string): boolean =>
    found !== undefined && withoutRoot(found) === withoutRoot(wanted);
  return patched.find((file) => isSame(file.newPath ?? file.oldPath, path) || isSame(file.oldPath, oldPath ?? path));
}

/** Git writes the paths of a patch without the root, with slashes. */
function withoutRoot(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\/+/, '');
}
