import type { EntryBase, ToolState } from '../../../../transcript/common/entries';
import { isRecord, ownValue, asNonEmptyText, type JsonRecord } from '../../model/jsonValues';
import { displayJson } from '../../model/displayJson';
import { parseThreadId } from '../../model/threadLinks';
import { ProgressCall, ProgressTurn } from '../../model/threadSchema';
import { rawEntry, type EntryWithRawJson, type UnfinishedState } from './entryWithRawJson';
import { errorText, type ToolCall, type ToolRun } from './toolRun';

/** A step of a subagent: an entry, or a call without an entry yet. */
type ProgressStep = EntryWithRawJson | { readonly call: ToolCall; readonly run: ToolRun };

/** Maps the progress of a subagent's call to steps, its children. Empty for other progress. */
export function progressSteps(
  progress: unknown,
  call: EntryBase,
  unfinished: UnfinishedState,
): readonly ProgressStep[] {
  if (!Array.isArray(progress) || !progress.some(isTurn)) return [];
  return progress.flatMap((turn, index) =>
    turnSteps(turn, { ...call, parent: call.id, id: `${call.id}.p${index}` }, unfinished),
  );
}

/** Returns the rest of the progress and the subthread's id. Undefined if the progress names none. */
export function subthreadIn(progress: unknown): { threadId: string; rest: JsonRecord } | undefined {
  if (!isRecord(progress)) return undefined;
  const { threadID, ...rest } = progress;
  const threadId = typeof threadID === 'string' ? parseThreadId(threadID) : undefined;
  return threadId === undefined ? undefined : { threadId, rest };
}

function isTurn(value: unknown): boolean {
  return isRecord(value) && ('message' in value || 'reasoning' in value || 'tool_uses' in value);
}

function turnSteps(turn: unknown, base: EntryBase, unfinished: UnfinishedState): readonly ProgressStep[] {
  const parsed = isTurn(turn) ? ProgressTurn.safeParse(turn).data : undefined;
  if (!parsed) return [rawEntry(base, 'Progress', turn, displayJson(turn))];
  const reasoning = asNonEmptyText(parsed.reasoning);
  const message = asNonEmptyText(parsed.message);
  return [
    ...(isValidTurn(turn, parsed)
      ? []
      : [rawEntry({ ...base, id: `${base.id}.raw` }, 'Progress', turn, displayJson(turn))]),
    ...(reasoning === undefined
      ? []
      : [{ entry: { kind: 'thinking' as const, ...base, id: `${base.id}.thinking`, text: reasoning }, raw: turn }]),
    ...(message === undefined
      ? []
      : [{ entry: { kind: 'answer' as const, ...base, id: `${base.id}.text`, text: message }, raw: turn }]),
    ...(parsed.tool_uses ?? []).map((use, index) => callStep(use, { ...base, id: `${base.id}.${index}` }, unfinished)),
  ];
}

/** Whether all fields have the expected types. */
function isValidTurn(turn: unknown, parsed: ProgressTurn): boolean {
  const keys = ['message', 'reasoning', 'tool_uses'] as const;
  return keys.every((key) => parsed[key] !== undefined || !isRecord(turn) || (turn[key] ?? '') === '');
}

function callStep(use: unknown, base: EntryBase, unfinished: UnfinishedState): ProgressStep {
  const call = ProgressCall.safeParse(use).data;
  if (!call) return rawEntry(base, 'Subagent call', use, displayJson(use));
  return { call: { base, name: call.tool_name, input: call.input, raw: [use] }, run: runOf(call, unfinished) };
}

const stateByStatus: Readonly<Record<string, ToolState>> = {
  done: 'done',
  completed: 'done',
  error: 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
  'rejected-by-user': 'rejected',
};

function runOf({ status, result, error }: ProgressCall, unfinished: UnfinishedState): ToolRun {
  const state =
    ownValue(stateByStatus, status ?? '') ??
    (unfinished === 'running' ? 'running' : result === undefined ? 'stale' : 'done');
  const shown = result === undefined || result === null ? {} : { result };
  if (state === 'failed') {
    return { state, ...(error === undefined ? {} : shown), error: errorText(error ?? result), remarks: [] };
  }
  return { state, ...shown, remarks: [] };
}
