import * as z from 'zod/mini';
import type { DiffPart, Part } from '../../../../transcript/common/entries';
import { diffFromLines, diffFromUnified, diffOf } from '../../../../transcript/common/lineDiff';
import { isRecord, listOf, ownOf, textOf } from '../../model/jsonValues';
import { pathOrUriPath } from '../../model/fileUriPath';
import { rawJson } from '../../model/rawJson';
import { soft } from '../../model/threadSchema';
import { bareToolName, inputPath } from '../../model/toolNames';
import { plainText } from './mapped';
import { unreadParts } from './unreadParts';

/** What calls that change files show: by their results, else by what they were asked for. */

interface Change {
  readonly tool: string;
  readonly input: unknown;
}

const text = soft(z.string());
const count = soft(z.int().check(z.nonnegative()));
const PatchedFile = z.object({ path: text, uri: text, additions: count, deletions: count, diff: text, type: text });

interface ShownChange {
  readonly parts: readonly Part[];
  /** What is still to be shown of the result. */
  readonly rest?: unknown;
}

const pathKeys = ['path', 'absolutePath', 'file_path', 'filePath', 'uri'];

/** Undefined for a result that shows no change. */
export function changeParts(call: Change, result: unknown): ShownChange | undefined {
  if (isRecord(result) && Array.isArray(result['files'])) {
    const files = listOf(result['files']);
    // One that could not be changed is among those that were.
    if (files.some((file) => patchedFile(file) !== undefined))
      return { parts: [...files.flatMap(patchedParts), ...unreadParts(result, ['files', 'diff', ...pathKeys])] };
  }
  const isEdit = Object.hasOwn(proposals, toolName(call)) || toolName(call) === 'undo_edit';
  const diff = isRecord(result) ? textOf(result['diff']) : isEdit ? textOf(result) : undefined;
  const path = pathOrUriPath(inputPath(result) ?? inputPath(call.input) ?? '');
  const firstLine = firstLineOf(result);
  const shown = diff === undefined ? undefined : diffFromText(path, unfenced(diff), firstLine);
  const change = shown && isNew(call) && shown.removed === 0 ? { ...shown, change: 'created' as const } : shown;
  const shownKeys = ['lineRange', ...pathKeys];
  if (change) return { parts: [change, ...(isRecord(result) ? unreadParts(result, ['diff', ...shownKeys]) : [])] };
  const proposed = proposedParts(call).map((part) => startingAt(part, firstLine));
  if (proposed.length === 0) return undefined;
  // It says something that the change does not.
  return isRecord(result)
    ? { parts: [...proposed, ...unreadParts(result, shownKeys)] }
    : { parts: proposed, rest: result ?? undefined };
}

function diffFromText(path: string, diff: string, firstLine: number | undefined): DiffPart | undefined {
  return diffFromUnified(path, diff) ?? diffFromLines(path, diff, firstLine ?? 1);
}

/** 1-based: where in the file the change begins, if the result says so. */
function firstLineOf(result: unknown): number | undefined {
  const range = isRecord(result) ? result['lineRange'] : undefined;
  const first = isRecord(range) ? (range['startLine'] ?? range['start']) : listOf(range)[0];
  const line = isRecord(first) ? first['line'] : first;
  return typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

/** A change that was made of the texts alone knows no lines but its own. */
function startingAt(part: Part, firstLine = 1): Part {
  if (part.type !== 'diff' || firstLine === 1) return part;
  const shift = firstLine - 1;
  return {
    ...part,
    hunks: part.hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + shift, newStart: hunk.newStart + shift })),
  };
}

/** What a call would change, before it has. */
export function proposedParts(call: Change): readonly Part[] {
  const { input } = call;
  return isRecord(input) ? (ownOf(proposals, toolName(call))?.(input) ?? []) : [];
}

const proposals: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => readonly Part[]>> = {
  edit_file: replacement,
  create_file: (input) => {
    const path = inputPath(input);
    return path === undefined || typeof input['content'] !== 'string'
      ? []
      : [diffOf(pathOrUriPath(path), null, input['content'])];
  },
  apply_patch: ({ patchText }) => (typeof patchText === 'string' ? [plainText(patchText)] : []),
};

function replacement(input: Readonly<Record<string, unknown>>): readonly Part[] {
  const path = inputPath(input);
  const { old_str: before, new_str: after } = input;
  if (path === undefined || typeof before !== 'string' || typeof after !== 'string') return [];
  return [diffOf(pathOrUriPath(path), before, after)];
}

function patchedParts(file: unknown): readonly Part[] {
  const shown = patchedFile(file);
  if (!shown || !isRecord(file)) return [{ type: 'json', json: rawJson(file) }];
  return [shown, ...unreadParts(file, ['path', 'uri', 'additions', 'deletions', 'diff', 'type'])];
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
