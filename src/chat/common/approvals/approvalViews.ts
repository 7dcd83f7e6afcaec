import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { isDenial, isWithdrawnReason, requestChangedReason } from '../../../session/common/approvalOptions';
import type { ApprovalContext } from '../../../session/common/approvalContext';
import { guessKind, nameContradictsKind } from '../../../session/common/optionMeaning';
import type { EventData } from '../../../session/common/sessionEvents';
import type { Part } from '../../../transcript/common/entries';
import { createDiff } from '../../../transcript/common/lineDiff';
import { answerTo, groupAnswers } from './approvalAnswers';
import { subagentName } from './approvalWords';
import { compactDiff } from './compactDiff';
import { collectEvidence } from './approvalEvidence';
import type { ApprovalOption, ApprovalView } from '../chatView';
import type { ApprovalAnswer, DiffTexts } from '../chatPorts';
import type { PartsWithDiffs } from '../transcript/toolParts';
import { shownApproval } from './shownApproval';

/** Maximum number of lines in a full diff on the page. The diff editor has no limit. */
const maxWholeLines = 5_000;

type Decision = EventData<'approval:denied' | 'approval:granted'>;

interface OpenApproval {
  view: ApprovalView;
  /** Whether the view's diffs are compact. They are made so when they are first read: of most approvals in a log, never. */
  isCompact: boolean;
  /** The position in the list. */
  readonly place: number;
  /** In milliseconds since the epoch. */
  readonly requestedAt: number | undefined;
  /** Time of the time-out, in milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly callId: string | undefined;
  readonly diffs: readonly (DiffTexts | undefined)[];
}

/** The first of the pending approvals. Times are in milliseconds since the epoch. */
export interface FirstApproval {
  readonly view: ApprovalView;
  readonly expiresAt: number | undefined;
  /** When the earliest of all was requested. */
  readonly requestedAt: number | undefined;
  /** How many others are pending. */
  readonly others: number;
}

export interface DecidedApproval {
  readonly callId: string | undefined;
  readonly outcome: 'granted' | 'denied' | 'timedOut' | 'unanswered';
  /** The chosen option, or why none was chosen. */
  readonly decision: string;
}

/** The pending approvals, from their request until the answer, the time-out or the end of the turn. */
export class ApprovalViews {
  private readonly openApprovals = new Map<string, OpenApproval>();
  /** Places of approvals whose request has changed. The changed request follows and gets the place of the earlier one. */
  private keptPlaces: { readonly callId: string; readonly place: number }[] = [];
  private lastPlace = 0;

  /** `hash` makes the views comparable with those of another window. */
  constructor(private readonly hash?: (text: string) => string) {}

  get count(): number {
    return this.openApprovals.size;
  }

  firstAt(now: number): FirstApproval | undefined {
    const [first] = this.inOrder;
    if (!first) return undefined;
    const times = [...this.openApprovals.values()].flatMap(({ requestedAt }) => requestedAt ?? []);
    const { expiresAt } = first;
    return {
      view: this.viewAt(first, now),
      expiresAt,
      requestedAt: times.length === 0 ? undefined : Math.min(...times),
      others: this.count - 1,
    };
  }

  /** Returns the view of an approval that nobody has answered yet. Undefined if there is none. */
  pendingView(id: string): ApprovalView | undefined {
    const approval = this.openApprovals.get(id);
    return approval?.view.state === 'pending' ? this.compactView(approval) : undefined;
  }

  /** Returns the answer that denies what an entry waits for, and nothing else. Undefined if there is none. */
  denialOf(entryId: string): ApprovalAnswer | undefined {
    const id = [...this.openApprovals.values()].find(({ view }) => view.entryId === entryId)?.view.id;
    const view = id === undefined ? undefined : this.pendingView(id);
    const denial = view && groupAnswers(view.options).deny.primary;
    return denial && answerTo(view, denial.label);
  }

  /** Returns the views with their remaining time. `now` is in milliseconds since the epoch. */
  viewsAt(now: number): ApprovalView[] {
    return this.inOrder.map((approval) => this.viewAt(approval, now));
  }

  /** Adds the approval of `call`. `requestedAt` is in milliseconds since the epoch. */
  addApproval(
    data: EventData<'approval:required'>,
    call: { callId: string | undefined; entryId: string | undefined; parts: PartsWithDiffs | undefined },
    backendTitle: string,
    requestedAt: number | undefined,
  ): void {
    const { context, diffs, shown } = collectEvidence(data.prompt, data.context ?? {}, call.parts, backendTitle);
    const { approval_id: id, prompt, timeout = 0 } = data;
    this.openApprovals.set(id, {
      callId: call.callId,
      isCompact: false,
      place: this.takePlace(call.callId),
      diffs,
      requestedAt,
      expiresAt: timeout <= 0 || requestedAt === undefined ? undefined : requestedAt + timeout * 1000,
      view: {
        id,
        prompt,
        asks: context.agent ?? backendTitle,
        ...withoutUndefined({ mode: context.mode }),
        ...(context.subagent === undefined ? {} : { subagent: subagentName(context.subagent) }),
        ...shown,
        options: optionsOf(data, context),
        state: 'pending',
        ...withoutUndefined({ entryId: call.entryId }),
      },
    });
  }

  setState(id: string, state: ApprovalView['state']): void {
    const approval = this.openApprovals.get(id);
    if (approval) approval.view = { ...approval.view, state };
  }

  /** Removes an answered approval. Returns undefined if it is not pending. */
  resolveApproval(data: Decision, saysGranted: boolean): DecidedApproval | undefined {
    const { approval_id: id, decision } = data;
    const approval = this.openApprovals.get(id);
    if (!approval) return undefined;
    this.openApprovals.delete(id);
    const { callId, place, view } = approval;
    const chosen = view.options.find(({ label }) => label === decision);
    const isRejection = chosen ? chosen.kind.startsWith('reject') : isDenial(decision);
    const reasonCode = 'reason' in data && typeof data.reason === 'string' ? data.reason : undefined;
    if (callId !== undefined && reasonCode === requestChangedReason) this.keptPlaces.push({ callId, place });
    const reason = reasonCode === undefined ? undefined : (reasonTexts[reasonCode] ?? reasonCode);
    if (saysGranted && !isRejection) return { callId, outcome: 'granted', decision: chosen?.label ?? decision };
    // An answer that was sent automatically does not count as an answer of the user.
    const isTimedOut = reasonCode === 'timeout';
    const outcome = isTimedOut ? 'timedOut' : !chosen && isWithdrawnReason(reasonCode) ? 'unanswered' : 'denied';
    const answer = isTimedOut ? undefined : chosen?.label;
    return { callId, outcome, decision: answer ?? reason ?? (decision === '' ? 'Not answered.' : decision) };
  }

  clear(): void {
    this.openApprovals.clear();
    this.keptPlaces = [];
  }

  /** Returns all parts, shortening only those too large for a page. Undefined if the approval is not pending. */
  fullContent(id: string): Part[] | undefined {
    const approval = this.openApprovals.get(id);
    return approval?.view.parts.map((part, index) => {
      const texts = approval.diffs[index];
      return texts ? compactDiff(createDiff(texts.path, texts.before, texts.after, maxWholeLines)) : part;
    });
  }

  diffTexts(id: string, part: number): DiffTexts | undefined {
    return this.openApprovals.get(id)?.diffs[part];
  }

  private get inOrder(): OpenApproval[] {
    return [...this.openApprovals.values()].sort((one, other) => one.place - other.place);
  }

  private viewAt(approval: OpenApproval, now: number): ApprovalView {
    const view = this.compactView(approval);
    return approval.expiresAt === undefined ? view : { ...view, expiresInMs: approval.expiresAt - now };
  }

  private compactView(approval: OpenApproval): ApprovalView {
    if (approval.isCompact) return approval.view;
    const { diffs, view } = approval;
    const parts = view.parts.map((part) => (part.type === 'diff' ? compactDiff(part) : part));
    const text = this.hash && shownApproval(view, diffs);
    approval.view = { ...view, parts, ...(text !== undefined && this.hash && { shown: this.hash(text) }) };
    approval.isCompact = true;
    return approval.view;
  }

  private takePlace(callId: string | undefined): number {
    const kept = this.keptPlaces.find((one) => one.callId === callId);
    this.keptPlaces = this.keptPlaces.filter((one) => one !== kept);
    return kept?.place ?? ++this.lastPlace;
  }
}

function optionsOf(
  { options, option_kinds: kinds }: EventData<'approval:required'>,
  { misnamed = [], scopes = {} }: ApprovalContext,
): ApprovalOption[] {
  const hasKinds = kinds?.length === options.length;
  const scopeByLabel = new Map(Object.entries(scopes));
  return options.map((label, index) => {
    const kind = (hasKinds ? kinds[index] : undefined) ?? guessKind(label);
    // The agent's own name may be longer or shorter than the label, so both are judged.
    const isMisnamed = misnamed.includes(label) || (kind !== undefined && nameContradictsKind({ name: label, kind }));
    return {
      label,
      kind: kind ?? 'other',
      ...withoutUndefined({ scope: scopeByLabel.get(label) }),
      ...(isMisnamed && { isMisnamed }),
    };
  });
}

const reasonTexts: Readonly<Record<string, string>> = {
  timeout: 'Timed out before you answered.',
  turn_ended: 'The turn ended before you answered.',
  answered_elsewhere: 'Answered elsewhere.',
  user_denied: 'Denied.',
  unanswerable: 'Could not be answered.',
};
