import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Part, ToolState } from '../../../../transcript/common/entries';
import { isRecord, listOf, textOf } from '../../model/jsonValues';
import { rawJson } from '../../model/rawJson';
import { ResultBlock, Run } from '../../model/threadSchema';
import { plainText, type Base, type Unfinished } from './mapped';

/** A call of a tool, before it is known how it went. */
export interface ToolCall {
  readonly base: Base;
  readonly name: string;
  /** The name that the tables know it by, when it is another one. */
  readonly knownName?: string | undefined;
  readonly input: unknown;
  /** The JSON of an input that was cut off while it was written. */
  readonly partialInput?: string | undefined;
  /** The block of the call, then those of its results. */
  readonly raw: readonly unknown[];
}

/** How a call of a tool stands, by what it gave back. */
export interface ToolRun {
  readonly state: ToolState;
  /** What it gave back; undefined for nothing yet. */
  readonly result?: unknown;
  readonly progress?: unknown;
  readonly error?: string;
  readonly decision?: string;
  /** Why it was rejected, when Amp says so. */
  readonly rejection?: string;
  /** What else there is to say. */
  readonly remarks: readonly Part[];
  /** A status that nobody knows: the whole result is to be shown raw. */
  readonly unknownStatus?: string;
}

/** Amp stores a refusal with words as an error that begins so. Others may quote one. */
const withFeedback =
  /^\s*(?:(?:the |this )?tool (?:call |use )?(?:was |is )?)?rejected by the user with feedback:?\s*/i;

/** What a call is whose result does not say how it ended, and what one is that has no result. */
export interface OpenCall {
  readonly reported: Unfinished;
  readonly unheard: Unfinished;
  /** Its input is whole. */
  readonly isComplete: boolean;
}

/** `block` is a result block; undefined while there is none. */
export function toolRun(block: unknown, open: OpenCall): ToolRun {
  const parsed = block === undefined ? undefined : ResultBlock.safeParse(block).data;
  if (!parsed) return withoutResult(open);
  if (parsed.type === 'program_output') return ofProgram(parsed);
  if (parsed.run === undefined || parsed.run === null) return ofProvider(parsed);
  const outcome = runOutcome(parsed.run, open);
  const decision = decisionOf(parsed.userInput, outcome);
  return decision === undefined ? outcome : { ...outcome, decision };
}

/** Of a run that is not in a block of its own, as of a command the user ran. One that has no status has ended. */
export function runOutcome(value: unknown, open: OpenCall): ToolRun {
  if (value === undefined || value === null) return withoutResult(open);
  const run = Run.safeParse(value).data;
  return run ? knownOutcome(run, open) : { state: 'done', result: value, remarks: [] };
}

function knownOutcome(run: Run, { reported: unfinished, unheard }: OpenCall): ToolRun {
  const open: ToolState = unfinished === 'running' || unfinished === 'cancelled' ? unfinished : 'stale';
  const { result, progress } = run;
  const known = { ...withoutUndefined({ result, progress }), remarks: [] };
  switch (run.status) {
    case 'done':
      return { ...known, state: 'done', ...(hasError(run) ? { error: errorText(run.error) } : {}) };
    case 'queued':
      return { ...known, state: open === 'running' ? 'pending' : open };
    case 'in-progress':
      return { ...known, state: open };
    case 'blocked-on-user': {
      const isOver = unfinished === 'cancelled' || unheard === 'lost';
      return { ...known, state: isOver ? open : 'waiting', remarks: waitingFor(run, isOver ? 'Waited' : 'Waits') };
    }
    case 'cancellation-requested':
      return { ...known, state: open, remarks: [plainText('Asked to stop, has not stopped yet.')] };
    case 'cancelled':
      return { ...known, state: 'cancelled', error: run.reason ?? 'Cancelled before it was done.' };
    case 'rejected-by-user':
      return {
        ...known,
        state: 'rejected',
        ...(run.reason === undefined
          ? { decision: 'Rejected' }
          : { decision: `Rejected: ${run.reason}`, rejection: run.reason }),
      };
    case 'error':
      return { ...known, ...failure(errorText(run.error)) };
    default:
      return { ...known, state: open === 'running' ? 'running' : 'done', unknownStatus: run.status };
  }
}

export function errorText(error: unknown): string {
  if (typeof error === 'string' && error !== '') return error;
  if (!isRecord(error) || Object.keys(error).length === 0) return 'The tool failed without an error message.';
  const message = textOf(error['message']) ?? textOf(error['error']);
  const path = textOf(error['absolutePath']);
  if (message === undefined) return rawJson(error);
  return path === undefined || message.includes(path) ? message : `${message} (${path})`;
}

function hasError({ error }: Run): boolean {
  return textOf(error) !== undefined || (isRecord(error) && Object.keys(error).length > 0);
}

function failure(message: string): Pick<ToolRun, 'state' | 'error' | 'decision'> {
  const match = withFeedback.exec(message);
  if (!match) return { state: 'failed', error: message };
  const feedback = message.slice(match[0].length);
  return { state: 'rejected', decision: 'Rejected with feedback', error: feedback === '' ? message : feedback };
}

function withoutResult({ unheard: unfinished, isComplete }: OpenCall): ToolRun {
  if (unfinished === 'cancelled') {
    return { state: 'cancelled', error: 'Cancelled before it was done.', remarks: [] };
  }
  if (unfinished === 'lost') {
    return { state: 'cancelled', error: 'The conversation went on without its result.', remarks: [] };
  }
  if (unfinished === 'stale') return { state: 'stale', remarks: [] };
  return { state: isComplete ? 'running' : 'pending', remarks: [] };
}

function ofProgram({ result, status }: ResultBlock): ToolRun {
  if (status === 'incomplete')
    return { state: 'failed', error: 'The program did not run to its end.', result, remarks: [] };
  return { state: 'done', result, remarks: [] };
}

function ofProvider({ content, is_error: isError }: ResultBlock): ToolRun {
  if (isError !== true) return { state: 'done', result: content, remarks: [] };
  const texts = listOf(content).flatMap((item) => (isRecord(item) ? (textOf(item['text']) ?? []) : []));
  return { state: 'failed', error: textOf(content) ?? textOf(texts.join('\n')) ?? errorText(content), remarks: [] };
}

function waitingFor({ reason, toAllow }: Run, waits: 'Waits' | 'Waited'): readonly Part[] {
  const items = (toAllow ?? []).map((item) => (typeof item === 'string' ? item : rawJson(item)));
  return [
    plainText(
      reason === undefined ? `${waits} for the user to allow it.` : `${waits} for the user to allow it: ${reason}`,
    ),
    ...(items.length > 0 ? [{ type: 'list' as const, items }] : []),
  ];
}

/** Words of the user before what the run says, and that before a plain yes or no. */
function decisionOf(userInput: ResultBlock['userInput'], { decision, rejection }: ToolRun): string | undefined {
  if (!userInput) return decision;
  const { accepted, denyFeedback, askAnswers } = userInput;
  if (denyFeedback !== undefined && denyFeedback !== '') {
    const isMore = rejection !== undefined && !rejection.includes(denyFeedback);
    return `Rejected: ${denyFeedback}${isMore ? ` (${rejection})` : ''}`;
  }
  if (askAnswers !== undefined && askAnswers !== null) return `Answered: ${rawJson(askAnswers)}`;
  return decision ?? (accepted === undefined ? undefined : accepted ? 'Allowed' : 'Rejected');
}
