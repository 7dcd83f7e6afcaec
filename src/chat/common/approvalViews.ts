import * as z from 'zod';
import { isDenial } from '../../amplifier/common/approvalOptions';
import { ToolContent, type EventData } from '../../amplifier/common/events';
import type { Part } from '../../transcript/common/entries';
import { diffOf } from '../../transcript/common/lineDiff';
import type { ApprovalView } from './chatView';
import type { DiffTexts } from './chatPorts';
import { commandOf, contentParts, inputParts, toJson, type ShownParts } from './toolParts';

/** Of a diff that is asked for whole; the diff editor takes more. */
const maxWholeLines = 5_000;

const Context = z.looseObject({
  agent: z.string().optional().catch(undefined),
  mode: z.string().optional().catch(undefined),
  cwd: z.string().optional().catch(undefined),
  content: z.array(ToolContent).optional().catch(undefined),
  input: z.record(z.string(), z.unknown()).optional().catch(undefined),
  matches: z.record(z.string(), z.string()).optional().catch(undefined),
});

interface Question {
  view: ApprovalView;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly callId: string | undefined;
  readonly diffs: readonly (DiffTexts | undefined)[];
}

export interface DecidedApproval {
  readonly callId: string | undefined;
  readonly outcome: 'granted' | 'denied' | 'timedOut' | 'unanswered';
  /** The option that was chosen, or why there was none. */
  readonly decision: string;
}

/** The questions that are open: each from when it is asked until it is answered, its time is up, or its turn is over. */
export class ApprovalViews {
  private readonly open = new Map<string, Question>();

  get all(): ApprovalView[] {
    return [...this.open.values()].map(({ view }) => view);
  }

  /** With the time that is left for each. `now` is in milliseconds since the epoch. */
  viewsAt(now: number): ApprovalView[] {
    return [...this.open.values()].map(({ expiresAt, view }) =>
      expiresAt === undefined ? view : { ...view, expiresInMs: expiresAt - now },
    );
  }

  /** `about` is what is known of the waiting call. `at` is in milliseconds since the epoch. */
  ask(
    data: EventData<'approval:required'>,
    about: { callId: string | undefined; entryId: string | undefined; call: ShownParts | undefined },
    who: string,
    at: number | undefined,
  ): void {
    const context = Context.parse(data.context ?? {});
    const { parts, diffs } = shownParts(data.context ?? {}, context, about.call);
    const { timeout } = data;
    this.open.set(data.approval_id, {
      callId: about.callId,
      diffs,
      expiresAt: timeout === undefined || timeout <= 0 || at === undefined ? undefined : at + timeout * 1000,
      view: {
        id: data.approval_id,
        prompt: data.prompt,
        asks: context.agent ?? who,
        ...(context.mode === undefined ? {} : { mode: context.mode }),
        parts: [...parts],
        options: data.options.map((label, index) => {
          const matches = new Map(Object.entries(context.matches ?? {})).get(label);
          const kind = data.option_kinds?.[index] ?? kindOf(label);
          return { label, kind, ...(matches === undefined ? {} : { matches }) };
        }),
        state: 'pending',
        ...(about.entryId === undefined ? {} : { entryId: about.entryId }),
      },
    });
  }

  /** The user's answer is on its way, or has come back. */
  setState(id: string, state: ApprovalView['state']): void {
    const question = this.open.get(id);
    if (question) question.view = { ...question.view, state };
  }

  /** Undefined for one that nobody knows. */
  decide(data: EventData<'approval:denied' | 'approval:granted'>, saysGranted: boolean): DecidedApproval | undefined {
    const { approval_id: id, decision } = data;
    const question = this.open.get(id);
    if (!question) return undefined;
    this.open.delete(id);
    const chosen = question.view.options.find(({ label }) => label === decision);
    const isRejection = chosen ? chosen.kind.startsWith('reject') : isDenial(decision);
    const told = 'reason' in data && typeof data.reason === 'string' ? data.reason : undefined;
    const reason = told === undefined ? undefined : (reasons[told] ?? told);
    if (saysGranted && !isRejection) {
      return { callId: question.callId, outcome: 'granted', decision: chosen?.label ?? decision };
    }
    // What was sent for the user is not the user's answer.
    const isTimedOut = told === 'timeout';
    const outcome = isTimedOut ? 'timedOut' : !chosen && isTakenBack(told) ? 'unanswered' : 'denied';
    const answer = isTimedOut ? undefined : chosen?.label;
    return {
      callId: question.callId,
      outcome,
      decision: answer ?? reason ?? (decision === '' ? 'Not answered.' : decision),
    };
  }

  /** Nobody waits for an answer any more. */
  clear(): void {
    this.open.clear();
  }

  /** As much of its parts as a page can show. Undefined for one that is not open. */
  whole(id: string): Part[] | undefined {
    const question = this.open.get(id);
    return question?.view.parts.map((part, index) => {
      const texts = question.diffs[index];
      return texts ? diffOf(texts.path, texts.before, texts.after, maxWholeLines) : part;
    });
  }

  diffTexts(id: string, part: number): DiffTexts | undefined {
    return this.open.get(id)?.diffs[part];
  }
}

/** A command is shown whole, and comes before all else. */
function shownParts(
  raw: Readonly<Record<string, unknown>>,
  context: z.infer<typeof Context>,
  call: ShownParts | undefined,
): ShownParts {
  const command = commandOf(raw) ?? (context.input && commandOf(context.input));
  const content = context.content ? contentParts(context.content) : undefined;
  if (content && content.parts.length > 0) return withCommand(command, content);
  const input = context.input ?? {};
  const change = inputParts(input);
  if (change.parts.length > 0 || command !== undefined) return withCommand(command, change);
  if (Object.keys(input).length > 0) return { parts: [{ type: 'json', json: toJson(input) }], diffs: [] };
  return call ?? { parts: [], diffs: [] };
}

function withCommand(command: string | undefined, { parts, diffs }: ShownParts): ShownParts {
  if (command === undefined || parts.some((part) => part.type === 'terminal' && part.command === command)) {
    return { parts, diffs };
  }
  return { parts: [{ type: 'terminal', command, output: '' }, ...parts], diffs: [undefined, ...diffs] };
}

/** Of options whose server does not say what they mean. */
function kindOf(label: string): ApprovalView['options'][number]['kind'] {
  const isAlways = /always|\ball\b/i.test(label);
  if (isDenial(label)) return isAlways ? 'reject_always' : 'reject_once';
  if (!/allow|yes|approve|accept|ok|run|apply/i.test(label)) return 'other';
  return isAlways ? 'allow_always' : 'allow_once';
}

/** Nobody has denied it. */
function isTakenBack(reason: string | undefined): boolean {
  return reason !== undefined && takenBack.has(reason);
}

const takenBack: ReadonlySet<string> = new Set([
  'turn_ended',
  'answered_elsewhere',
  'unanswerable',
  'The question was withdrawn.',
]);

const reasons: Readonly<Record<string, string>> = {
  timeout: 'Nobody answered in time.',
  turn_ended: 'The turn ended before there was an answer.',
  answered_elsewhere: 'It was answered elsewhere.',
  user_denied: 'Denied.',
  unanswerable: 'It could not be answered.',
};
