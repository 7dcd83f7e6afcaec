import * as z from 'zod/mini';
import type { DiffPart, Part } from '../../../../transcript/common/entries';
import { parseHunkLines, parseUnifiedDiff, createDiff } from '../../../../transcript/common/lineDiff';
import { isRecord, asList, ownValue, asNonEmptyText } from '../../model/jsonValues';
import { pathOrUriPath } from '../../model/fileUriPath';
import { displayJson } from '../../model/displayJson';
import { optionalIgnoringInvalid } from '../../model/threadSchema';
import { bareToolName, pathOfInput } from '../../model/toolNames';
import { plainTextPart } from './entryWithRawJson';
import { partsOfUnshownValues } from './partsOfUnshownValues';

interface ChangeCall {
  readonly tool: string;
  readonly input: unknown;
}

const text = optionalIgnoringInvalid(z.string());
const count = optionalIgnoringInvalid(z.int().check(z.nonnegative()));
const PatchedFile = z.object({ path: text, uri: text, additions: count, deletions: count, diff: text, type: text });

interface ChangeParts {
  readonly parts: readonly Part[];
  /** The remaining part of the result, which `parts` does not show. */
  readonly rest?: unknown;
}

const pathKeys = ['path', 'absolutePath', 'file_path', 'filePath', 'uri'];

/** Returns the changes in a result, or else those in the input of the call. Undefined if neither contains a change. */
export function changeParts(call: ChangeCall, result: unknown): ChangeParts | undefined {
  if (isRecord(result) && Array.isArray(result['files'])) {
    const files = asList(result['files']);
    // Changing some of the listed files may have failed.
    if (files.some((file) => patchedFile(file) !== undefined))
      return {
        parts: [...files.flatMap(patchedParts), ...partsOfUnshownValues(result, ['files', 'diff', ...pathKeys])],
      };
  }
  const isEdit = Object.hasOwn(proposalReaders, toolName(call)) || toolName(call) === 'undo_edit';
  const diff = isRecord(result) ? asNonEmptyText(result['diff']) : isEdit ? asNonEmptyText(result) : undefined;
  const path = pathOrUriPath(pathOfInput(result) ?? pathOfInput(call.input) ?? '');
  const firstLine = firstLineOf(result);
  const shown = diff === undefined ? undefined : diffFromText(path, withoutFence(diff), firstLine);
  const change = shown && isCreation(call) && shown.removed === 0 ? { ...shown, change: 'created' as const } : shown;
  const shownKeys = ['lineRange', ...pathKeys];
  if (change)
    return { parts: [change, ...(isRecord(result) ? partsOfUnshownValues(result, ['diff', ...shownKeys]) : [])] };
  const proposed = partsOfProposedChanges(call).map((part) => startingAt(part, firstLine));
  if (proposed.length === 0) return undefined;
  // Other results contain more than the change, so the rest is kept.
  return isRecord(result)
    ? { parts: [...proposed, ...partsOfUnshownValues(result, shownKeys)] }
    : { parts: proposed, rest: result ?? undefined };
}

function diffFromText(path: string, diff: string, firstLine: number | undefined): DiffPart | undefined {
  return parseUnifiedDiff(path, diff) ?? parseHunkLines(path, diff, firstLine ?? 1);
}

/** Returns the 1-based line at which the change begins, if the result contains it. */
function firstLineOf(result: unknown): number | undefined {
  const range = isRecord(result) ? result['lineRange'] : undefined;
  const first = isRecord(range) ? (range['startLine'] ?? range['start']) : asList(range)[0];
  const line = isRecord(first) ? first['line'] : first;
  return typeof line === 'number' && Number.isSafeInteger(line) && line > 0 ? line : undefined;
}

/** Shifts the line numbers of a diff of two texts, because such a diff begins at line 1. */
function startingAt(part: Part, firstLine = 1): Part {
  if (part.type !== 'diff' || firstLine === 1) return part;
  const shift = firstLine - 1;
  return {
    ...part,
    hunks: part.hunks.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + shift, newStart: hunk.newStart + shift })),
  };
}

/** Returns the changes that a call's input describes. */
export function partsOfProposedChanges(call: ChangeCall): readonly Part[] {
  const { input } = call;
  return isRecord(input) ? (ownValue(proposalReaders, toolName(call))?.(input) ?? []) : [];
}

const proposalReaders: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => readonly Part[]>> = {
  edit_file: replacement,
  create_file: (input) => {
    const path = pathOfInput(input);
    return path === undefined || typeof input['content'] !== 'string'
      ? []
      : [createDiff(pathOrUriPath(path), null, input['content'])];
  },
  apply_patch: ({ patchText }) => (typeof patchText === 'string' ? [plainTextPart(patchText)] : []),
};

function replacement(input: Readonly<Record<string, unknown>>): readonly Part[] {
  const path = pathOfInput(input);
  const { old_str: before, new_str: after } = input;
  if (path === undefined || typeof before !== 'string' || typeof after !== 'string') return [];
  return [createDiff(pathOrUriPath(path), before, after)];
}

function patchedParts(file: unknown): readonly Part[] {
  const shown = patchedFile(file);
  if (!shown || !isRecord(file)) return [{ type: 'json', json: displayJson(file) }];
  return [shown, ...partsOfUnshownValues(file, ['path', 'uri', 'additions', 'deletions', 'diff', 'type'])];
}

function patchedFile(file: unknown): DiffPart | undefined {
  const parsed = PatchedFile.safeParse(file).data;
  const path = parsed?.path ?? (parsed?.uri === undefined ? undefined : pathOrUriPath(parsed.uri));
  if (!parsed || path === undefined) return undefined;
  const shown = parsed.diff === undefined ? undefined : parseUnifiedDiff(path, withoutFence(parsed.diff));
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

/** Removes the Markdown code block around a diff. */
function withoutFence(diff: string): string {
  return /^\s*(`{3,})\w*\n([\s\S]*?)\n?\1\s*$/.exec(diff)?.[2] ?? diff;
}

function isCreation(call: ChangeCall): boolean {
  return toolName(call) === 'create_file';
}

function toolName({ tool }: ChangeCall): string {
  return bareToolName(tool).toLowerCase();
}
