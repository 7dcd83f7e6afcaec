import type { ToolState } from '../../../../transcript/common/entries';
import { isRecord, ownOf, textOf } from '../../model/jsonValues';
import { rawJson } from '../../model/rawJson';
import { threadIn } from '../../model/threadLinks';
import { ProgressCall, ProgressTurn } from '../../model/threadSchema';
import { rawEntry, type Base, type Mapped, type Unfinished } from './mapped';
import { errorText, type ToolCall, type ToolRun } from './toolRun';

/** What a subagent said, as an entry, or a call that it made. */
type ProgressStep = Mapped | { readonly call: ToolCall; readonly run: ToolRun };

/**
 * What a subagent said and did, as its call reports it. All of it belongs to the entry of the call. Nothing for progress of
 * another form, as that of a command.
 */
export function progressSteps(progress: unknown, call: Base, unfinished: Unfinished): readonly ProgressStep[] {
  if (!Array.isArray(progress) || !progress.some(isTurn)) return [];
  return progress.flatMap((turn, index) =>
    turnSteps(turn, { ...call, parent: call.id, id: `${call.id}.p${index}` }, unfinished),
  );
}

/** The thread that a subagent writes itself, for progress that names one, and what else the progress has. */
export function subthreadIn(
  progress: unknown,
): { readonly threadId: string; readonly others: Readonly<Record<string, unknown>> } | undefined {
  if (!isRecord(progress)) return undefined;
  const { threadID, ...others } = progress;
  const threadId = typeof threadID === 'string' ? threadIn(threadID) : undefined;
  return threadId === undefined ? undefined : { threadId, others };
}

function isTurn(value: unknown): boolean {
  return isRecord(value) && ('message' in value || 'reasoning' in value || 'tool_uses' in value);
}

function turnSteps(turn: unknown, base: Base, unfinished: Unfinished): readonly ProgressStep[] {
  const parsed = isTurn(turn) ? ProgressTurn.safeParse(turn).data : undefined;
  if (!parsed) return [rawEntry(base, 'Progress', turn, rawJson(turn))];
  const reasoning = textOf(parsed.reasoning);
  const message = textOf(parsed.message);
  return [
    ...(isWhole(turn, parsed) ? [] : [rawEntry({ ...base, id: `${base.id}.raw` }, 'Progress', turn, rawJson(turn))]),
    ...(reasoning === undefined
      ? []
      : [{ entry: { kind: 'thinking' as const, ...base, id: `${base.id}.thinking`, text: reasoning }, raw: turn }]),
    ...(message === undefined
      ? []
      : [{ entry: { kind: 'answer' as const, ...base, id: `${base.id}.text`, text: message }, raw: turn }]),
    ...(parsed.tool_uses ?? []).map((use, index) => callStep(use, { ...base, id: `${base.id}.${index}` }, unfinished)),
  ];
}

/** Nothing in it is of another form than expected. */
function isWhole(turn: unknown, parsed: ProgressTurn): boolean {
  const keys = ['message', 'reasoning', 'tool_uses'] as const;
  return keys.every((key) => parsed[key] !== undefined || !isRecord(turn) || (turn[key] ?? '') === '');
}

function callStep(use: unknown, base: Base, unfinished: Unfinished): ProgressStep {
  const call = ProgressCall.safeParse(use).data;
  if (!call) return rawEntry(base, 'Call of a subagent', use, rawJson(use));
  return { call: { base, name: call.tool_name, input: call.input, raw: [use] }, run: runOf(call, unfinished) };
}

const states: Readonly<Record<string, ToolState>> = {
  done: 'done',
  completed: 'done',
  error: 'failed',
  failed: 'failed',
  cancelled: 'cancelled',
  'rejected-by-user': 'rejected',
};

function runOf({ status, result, error }: ProgressCall, unfinished: Unfinished): ToolRun {
  const state =
    ownOf(states, status ?? '') ?? (unfinished === 'running' ? 'running' : result === undefined ? 'stale' : 'done');
  const shown = result === undefined || result === null ? {} : { result };
  if (state === 'failed') {
    return { state, ...(error === undefined ? {} : shown), error: errorText(error ?? result), remarks: [] };
  }
  return { state, ...shown, remarks: [] };
}
