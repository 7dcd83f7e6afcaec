import * as z from 'zod/mini';
import type { DiffPart, Part } from '../../../transcript/common/entries';
import { diffFromUnified, diffOf } from '../../../transcript/common/lineDiff';
import { isRecord, textOf } from '../json';
import { pathOrUriPath } from '../fileUriPath';
import { soft } from '../schema';
import { bareToolName, inputPath } from './toolNames';

/** What calls that change files show: by their results, else by what they were asked for. */

interface Change {
  readonly tool: string;
  readonly input: unknown;
}

const text = soft(z.string());
const count = soft(z.int().check(z.nonnegative()));
const PatchedFile = z.object({ path: text, uri: text, additions: count, deletions: count, diff: text, type: text });

/** Undefined for a result that shows no change. */
export function changeParts(call: Change, result: unknown): readonly Part[] | undefined {
  if (isRecord(result) && Array.isArray(result['files'])) {
    const files = result['files'].map((file) => patchedFile(file));
    if (files.length > 0 && files.every((part) => part !== undefined)) return files;
  }
  const isEdit = toolName(call) in proposals || toolName(call) === 'undo_edit';
  const diff = isRecord(result) ? textOf(result['diff']) : isEdit ? textOf(result) : undefined;
  const path = pathOrUriPath(inputPath(result) ?? inputPath(call.input) ?? '');
  const shown = diff === undefined ? undefined : diffFromUnified(path, unfenced(diff));
  const change = shown && isNew(call) && shown.removed === 0 ? { ...shown, change: 'created' as const } : shown;
  if (change) return [change];
  const proposed = proposedParts(call);
  if (proposed.length === 0) return undefined;
  // Its words say something that the change does not.
  return typeof result === 'string' && result !== ''
    ? [...proposed, { type: 'text', text: result, plain: true }]
    : proposed;
}

/** What a call would change, before it has. */
export function proposedParts(call: Change): readonly Part[] {
  const { input } = call;
  return isRecord(input) ? (proposals[toolName(call)]?.(input) ?? []) : [];
}

const proposals: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => readonly Part[]>> = {
  edit_file: replacement,
  create_file: (input) => {
    const path = inputPath(input);
    return path === undefined || typeof input['content'] !== 'string'
      ? []
      : [diffOf(pathOrUriPath(path), null, input['content'])];
  },
  apply_patch: ({ patchText }) =>
    typeof patchText === 'string' ? [{ type: 'text', text: patchText, plain: true }] : [],
};

function replacement(input: Readonly<Record<string, unknown>>): readonly Part[] {
  const path = inputPath(input);
  const { old_str: before, new_str: after } = input;
  if (path === undefined || typeof before !== 'string' || typeof after !== 'string') return [];
  return [diffOf(pathOrUriPath(path), before, after)];
}

function patchedFile(file: unknown): DiffPart | undefined {
  const parsed = PatchedFile.safeParse(file).data;
  const path = parsed?.path ?? (parsed?.uri === undefined ? undefined : pathOrUriPath(parsed.uri));
  if (!parsed || path === undefined) return undefined;
  const shown = parsed.diff === undefined ? undefined : diffFromUnified(path, unfenced(parsed.diff));
  if (shown) return shown;
  if (parsed.additions === undefined && parsed.deletions === undefined && parsed.diff === undefined) return undefined;
  return {
    type: 'diff',
    path,
    change: 'modified',
    added: parsed.additions ?? 0,
    removed: parsed.deletions ?? 0,
    hunks: [],
  };
}

/** Amp puts a diff in a fence, as its model reads it. */
function unfenced(diff: string): string {
  return /^\s*(`{3,})\w*\n([\s\S]*?)\n?\1\s*$/.exec(diff)?.[2] ?? diff;
}

function isNew(call: Change): boolean {
  return toolName(call) === 'create_file';
}

function toolName({ tool }: Change): string {
  return bareToolName(tool).toLowerCase();
}
