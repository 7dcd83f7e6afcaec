import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { EntryBase, Part, ToolState } from '../../../../transcript/common/entries';
import { isRecord, asList, asNonEmptyText } from '../../model/jsonValues';
import { displayJson } from '../../model/displayJson';
import { ResultBlock, StoredToolRun } from '../../model/threadSchema';
import { plainTextPart, type UnfinishedState } from './entryWithRawJson';

/** A tool call without its result. */
export interface ToolCall {
  readonly base: EntryBase;
  readonly name: string;
  /** The normalized name, if it differs from `name`. */
  readonly knownName?: string | undefined;
  readonly input: unknown;
  /** Incomplete JSON of an input that was interrupted. */
  readonly partialInput?: string | undefined;
  /** The JSON of the call, followed by the JSON of its results. */
  readonly raw: readonly unknown[];
}

export interface ToolRun {
  readonly state: ToolState;
  readonly result?: unknown;
  readonly progress?: unknown;
  readonly error?: string;
  readonly decision?: string;
  /** The reason for a rejection, if known. */
  readonly rejection?: string;
  readonly remarks: readonly Part[];
  /** An unknown status. The whole result is then shown as JSON. */
  readonly unknownStatus?: string;
}

/** Matches the start of a rejection with feedback, which Amp stores as an error. Others may quote it. */
const feedbackPattern =
  /^\s*(?:(?:the |this )?tool (?:call |use )?(?:was |is )?)?rejected by the user with feedback:?\s*/i;

/** The states for a call that has not ended: one if its result is unfinished, and one if it has no result. */
export interface UnfinishedCallStates {
  readonly withResult: UnfinishedState;
  readonly withoutResult: UnfinishedState;
  readonly isComplete: boolean;
}

/** Reads a tool run. `block` is the result block, or undefined without a result. */
export function readToolRun(block: unknown, open: UnfinishedCallStates): ToolRun {
  const parsed = block === undefined ? undefined : ResultBlock.safeParse(block).data;
  if (!parsed) return missingResult(open);
  if (parsed.type === 'program_output') return programOutcome(parsed);
  if (parsed.run === undefined || parsed.run === null) return providerOutcome(parsed);
  const outcome = readRunOutsideResultBlock(parsed.run, open);
  const decision = decisionOf(parsed.userInput, outcome);
  return decision === undefined ? outcome : { ...outcome, decision };
}

/** Reads a run that is not in a result block, such as a command of the user. A run without a status has ended. */
export function readRunOutsideResultBlock(value: unknown, open: UnfinishedCallStates): ToolRun {
  if (value === undefined || value === null) return missingResult(open);
  const run = StoredToolRun.safeParse(value).data;
  return run ? knownOutcome(run, open) : { state: 'done', result: value, remarks: [] };
}

function knownOutcome(run: StoredToolRun, { withResult, withoutResult }: UnfinishedCallStates): ToolRun {
  const open: ToolState = withResult === 'running' || withResult === 'cancelled' ? withResult : 'stale';
  const { result, progress } = run;
  const known = { ...withoutUndefined({ result, progress }), remarks: [] };
  switch (run.status) {
    case 'done':
      return { ...known, state: 'done', ...(hasErrorDetails(run) ? { error: errorText(run.error) } : {}) };
    case 'queued':
      return { ...known, state: open === 'running' ? 'pending' : open };
    case 'in-progress':
      return { ...known, state: open };
    case 'blocked-on-user': {
      const isOver = withResult === 'cancelled' || withoutResult === 'lost';
      const verb = isOver ? 'Waited' : 'Waiting';
      return { ...known, state: isOver ? open : 'waiting', remarks: waitingParts(run, verb) };
    }
    case 'cancellation-requested':
      return { ...known, state: open, remarks: [plainTextPart('Cancellation requested.')] };
    case 'cancelled':
      return { ...known, state: 'cancelled', error: run.reason ?? 'Canceled before it finished.' };
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
  const message = asNonEmptyText(error['message']) ?? asNonEmptyText(error['error']);
  const path = asNonEmptyText(error['absolutePath']);
  if (message === undefined) return displayJson(error);
  return path === undefined || message.includes(path) ? message : `${message} (${path})`;
}

function hasErrorDetails({ error }: StoredToolRun): boolean {
  return asNonEmptyText(error) !== undefined || (isRecord(error) && Object.keys(error).length > 0);
}

function failure(message: string): Pick<ToolRun, 'state' | 'error' | 'decision'> {
  const match = feedbackPattern.exec(message);
  if (!match) return { state: 'failed', error: message };
  const feedback = message.slice(match[0].length);
  return { state: 'rejected', decision: 'Rejected with feedback', error: feedback === '' ? message : feedback };
}

function missingResult({ withoutResult, isComplete }: UnfinishedCallStates): ToolRun {
  if (withoutResult === 'cancelled') return { state: 'cancelled', error: 'Canceled before it finished.', remarks: [] };
  if (withoutResult === 'lost')
    return { state: 'cancelled', error: 'The conversation continued without a result.', remarks: [] };
  if (withoutResult === 'stale') return { state: 'stale', remarks: [] };
  return { state: isComplete ? 'running' : 'pending', remarks: [] };
}

function programOutcome({ result, status }: ResultBlock): ToolRun {
  if (status === 'incomplete') return { state: 'failed', error: 'The program did not finish.', result, remarks: [] };
  return { state: 'done', result, remarks: [] };
}

function providerOutcome({ content, is_error: isError }: ResultBlock): ToolRun {
  if (isError !== true) return { state: 'done', result: content, remarks: [] };
  const texts = asList(content).flatMap((item) => (isRecord(item) ? (asNonEmptyText(item['text']) ?? []) : []));
  return {
    state: 'failed',
    error: asNonEmptyText(content) ?? asNonEmptyText(texts.join('\n')) ?? errorText(content),
    remarks: [],
  };
}

function waitingParts({ reason, toAllow }: StoredToolRun, verb: 'Waiting' | 'Waited'): readonly Part[] {
  const items = (toAllow ?? []).map((item) => (typeof item === 'string' ? item : displayJson(item)));
  return [
    plainTextPart(`${verb} for the user’s approval${reason === undefined ? '.' : `: ${reason}`}`),
    ...(items.length > 0 ? [{ type: 'list' as const, items }] : []),
  ];
}

/** Returns the user's feedback, or else the decision of the run, or the plain answer. */
function decisionOf(userInput: ResultBlock['userInput'], { decision, rejection }: ToolRun): string | undefined {
  if (!userInput) return decision;
  const { accepted, denyFeedback, askAnswers } = userInput;
  if (denyFeedback !== undefined && denyFeedback !== '') {
    const hasMore = rejection !== undefined && !rejection.includes(denyFeedback);
    return `Rejected: ${denyFeedback}${hasMore ? ` (${rejection})` : ''}`;
  }
  if (askAnswers !== undefined && askAnswers !== null) return `Answered: ${displayJson(askAnswers)}`;
  return decision ?? (accepted === undefined ? undefined : accepted ? 'Allowed' : 'Rejected');
}
