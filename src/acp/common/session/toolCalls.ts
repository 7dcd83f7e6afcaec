import * as z from 'zod';
import type { SessionEvent, ToolContent, ToolKind, ToolLocation } from '../../../session/common/sessionEvents';
import type { Clock } from '../../../base/common/async';
import { StoppableParts, type StopTarget } from '../calls/stoppableParts';
import { applyUpdate, hasEndStatus, type ToolCallChanges, type ToolCallState } from '../calls/toolCallState';
import { TerminalStates, type TerminalState } from './terminalStates';
import {
  endPatchOf,
  isAbout,
  isBeginning,
  OwnActions,
  shownPartOf,
  type OwnAction,
  type OwnActionEntry,
} from '../actions/ownActions';
import { toToolContent } from './toolContent';
import type { ToolCallPatch } from './agentMessages';
import { TerminalMeta, type ToolCallContent } from './wireSchema';

const CommandResult = z.looseObject({ formatted_output: z.string() });

export interface CallDescription {
  readonly name: string | undefined;
  readonly title: string | undefined;
  readonly kind: ToolKind;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolLocation[];
  /** Undefined if the agent has sent no input. An empty input is one. */
  readonly rawInput: Record<string, unknown> | undefined;
  readonly hasEnded?: boolean;
}

/** Maximum number of ended calls that are remembered across turns, so that a late update does not start a new call. */
const maxEnded = 200;
/** Maximum length of terminal output in an event, in UTF-16 units. */
const maxTerminalLength = 128 * 1024;

/** The tool calls of a session. Collects terminal output, because every event contains the whole output. */
export class ToolCalls {
  private readonly calls = new Map<string, ToolCallState>();
  private readonly terminals = new TerminalStates(maxTerminalLength);
  private readonly callsWithNewOutput = new Set<ToolCallState>();
  private readonly ownActions = new OwnActions();
  private readonly stoppable = new StoppableParts(this.terminals);
  private turn = 0;

  constructor(
    private readonly sessionId: string,
    private readonly clock: Pick<Clock, 'monotonicNow'>,
  ) {}

  get hasPendingTerminalUpdates(): boolean {
    return this.callsWithNewOutput.size > 0;
  }

  /** Returns everything known about a call, because a permission request may repeat only a part of it. */
  describeCall(id: string): CallDescription | undefined {
    const call = this.calls.get(id);
    if (!call) return undefined;
    const { name, title, kind, content, locations, input, hasEnded } = call;
    return { name, title, kind, content, locations, rawInput: call.hasInput ? input : undefined, hasEnded };
  }

  /** The id of the entry that shows a call of the agent. */
  entryIdOf(callId: string): string {
    return this.calls.get(callId)?.shownIn?.id ?? callId;
  }

  /** Whether an entry shows an action of Backline. */
  isAction(entryId: string | undefined): boolean {
    return entryId !== undefined && this.calls.get(entryId)?.isAction === true;
  }

  /** Applies what a permission request says about its call, which gets its own entry: the user decides about it. */
  applyRequestedCall(update: ToolCallPatch): SessionEvent[] {
    return this.applyAgentUpdate(update, true);
  }

  applyCallUpdate(update: ToolCallPatch, isAnnounced = false): SessionEvent[] {
    return this.applyAgentUpdate(update, false, isAnnounced);
  }

  /** Adds an item to the content of a call. */
  appendContent(toolCallId: string, items: readonly ToolCallContent[]): SessionEvent[] {
    return this.applyCallUpdate({ toolCallId, content: [...(this.calls.get(toolCallId)?.content ?? []), ...items] });
  }

  get hasUnreportedActions(): boolean {
    return this.ownActions.hasUnreported;
  }

  /** Adds something that Backline does for the agent. It is shown by `showUnreported` if no call is about it. */
  addOwnAction(action: OwnAction): string {
    return this.ownActions.add(action, this.openCalls, this.clock.monotonicNow());
  }

  endOwnAction(id: string, change: Pick<OwnAction, 'status' | 'output'>): SessionEvent[] {
    if (this.ownActions.update(id, change)) return this.showUnreported();
    return this.isAction(id) ? this.applyActionUpdate(endPatchOf(id, change)) : [];
  }

  /** Shows what the agent has not reported. Waits a moment for open calls that may still turn out to be about it. */
  showUnreported(isEndOfTurn = false): SessionEvent[] {
    if (!this.ownActions.hasUnreported) return [];
    const patches = this.ownActions.takeUnreported(isEndOfTurn ? [] : this.openCalls, this.clock.monotonicNow());
    return patches.flatMap((patch) => this.applyActionUpdate(patch));
  }

  /** How the user can stop a call now. Undefined if that is not possible. */
  stopTargetOf(callId: string): StopTarget | undefined {
    const call = this.calls.get(callId);
    return call?.turn === this.turn ? this.stoppable.targetOf(call) : undefined;
  }

  /**
   * `isOwn`: Backline runs the terminal, so that nothing that the agent says changes what it shows. `canCancel`: whether the
   * agent says that it can stop it; undefined if it says nothing new.
   */
  setTerminal(terminalId: string, view: TerminalState, isOwn: boolean, canCancel?: boolean): void {
    this.terminals.set(terminalId, view, isOwn);
    if (!isOwn && canCancel !== undefined) this.stoppable.setAgentTerminal(terminalId, canCancel);
    this.markCallsWithNewOutput(terminalId);
  }

  takeTerminalUpdates(): SessionEvent[] {
    const events = [...this.callsWithNewOutput].map((call) =>
      this.updateEvent(call, { content: this.contentOf(call) }),
    );
    this.callsWithNewOutput.clear();
    return events;
  }

  /** Ends the turn. Returns pending events and drops the details of all calls. */
  endTurn(): SessionEvent[] {
    const events = [...this.showUnreported(true), ...this.takeTerminalUpdates()];
    this.ownActions.endTurn();
    this.turn++;
    for (const call of this.calls.values()) {
      call.title = undefined;
      call.locations = [];
      call.content = [];
      call.input = {};
      call.hasInput = false;
      call.output = undefined;
    }
    for (const id of this.calls.keys()) {
      if (this.calls.size <= maxEnded) break;
      this.calls.delete(id);
    }
    this.terminals.dropEndedAndExcess();
    return events;
  }

  /** The calls of the agent in this turn that have not ended. */
  get openCalls(): ToolCallState[] {
    return [...this.calls.values()].filter(
      ({ hasEnded, isAction, shownIn, turn }) => !hasEnded && !isAction && !shownIn && turn === this.turn,
    );
  }

  private applyAgentUpdate(update: ToolCallPatch, isRequested: boolean, isAnnounced = false): SessionEvent[] {
    const known = this.knownCallOf(update, isRequested, isAnnounced);
    const call = known ?? this.startCall(update, false);
    const wasShown = known !== undefined && known.shownIn === undefined;
    const changes = applyUpdate(call, update);
    call.shownIn = isRequested ? undefined : this.entryFor(call, update, known === undefined);
    if (call.shownIn) return this.applyActionUpdate(shownPartOf(update, call.shownIn));
    this.applyTerminalMeta(call, update);
    this.applyRawOutput(call);
    this.ownActions.claim(call);
    return this.eventsOf(call, changes, wasShown);
  }

  private applyActionUpdate(patch: ToolCallPatch): SessionEvent[] {
    const known = this.calls.get(patch.toolCallId);
    const call = known ?? this.startCall(patch, true);
    return this.eventsOf(call, applyUpdate(call, patch), known !== undefined);
  }

  private eventsOf(call: ToolCallState, changes: ToolCallChanges, wasShown: boolean): SessionEvent[] {
    const events: SessionEvent[] = wasShown ? [] : [this.startEvent(call)];
    const ends = !call.hasEnded && hasEndStatus(call);
    if (ends) events.push(this.endCall(call), ...this.showUnreported());
    else if (wasShown && (Object.keys(changes).length > 0 || this.isStopNews(call)))
      events.push(this.updateEvent(call, changes));
    return events;
  }

  /** Some agents use the same ids in each turn. A call that is announced or begins again after its turn is another call. */
  private knownCallOf(update: ToolCallPatch, isRequested: boolean, isAnnounced: boolean): ToolCallState | undefined {
    const call = this.calls.get(update.toolCallId);
    const isAgain = call && (call.hasEnded || call.shownIn) && (isRequested || isBeginning(update));
    return call && call.turn !== this.turn && (isAnnounced || isAgain) ? undefined : call;
  }

  /** The entry of an action that a call of the agent is about. A call that becomes another one gets its own entry. */
  private entryFor(call: ToolCallState, update: ToolCallPatch, isNew: boolean): OwnActionEntry | undefined {
    if (isNew) return this.ownActions.takeEntryOf(call);
    // The entry shows a new title, new places and diffs. It does not show these members.
    const hidden = [update.kind, update.name, update.rawInput];
    const isOther =
      call.shownIn && hidden.some((member) => member !== undefined) && !isAbout(call, call.shownIn.action);
    return isOther ? undefined : call.shownIn;
  }

  private startCall({ toolCallId: id, parentCallId: parentId }: ToolCallPatch, isAction: boolean): ToolCallState {
    const call: ToolCallState = {
      id,
      isAction,
      turn: this.turn,
      shownIn: undefined,
      parentId,
      startedAtMs: this.clock.monotonicNow(),
      name: undefined,
      kind: 'other',
      title: undefined,
      status: 'pending',
      input: {},
      hasInput: false,
      output: undefined,
      content: [],
      locations: [],
      hasEnded: false,
      canCancel: false,
      isShownStoppable: false,
    };
    this.calls.set(id, call);
    return call;
  }

  private applyTerminalMeta(call: ToolCallState, { _meta: meta }: ToolCallPatch): void {
    if (!meta) return;
    const { terminal_info, terminal_output, terminal_output_delta, terminal_exit } = TerminalMeta.parse(meta);
    // Agents that run terminals themselves may omit the terminal id. It defaults to the id of the call.
    const idOf = (part: { terminal_id: string | undefined }) => part.terminal_id ?? call.id;
    for (const part of [terminal_info, terminal_output, terminal_output_delta, terminal_exit]) {
      if (!part) continue;
      const terminalId = idOf(part);
      const shown = call.content.some((item) => item.type === 'terminal' && item.terminalId === terminalId);
      if (!shown) call.content = [...call.content, { type: 'terminal', terminalId }];
    }
    for (const chunk of [terminal_output, terminal_output_delta]) {
      if (chunk) this.terminals.append(idOf(chunk), chunk.data);
    }
    if (terminal_exit) {
      this.terminals.setExit(idOf(terminal_exit), terminal_exit.exit_code ?? null, terminal_exit.signal ?? null);
    }
    if (terminal_output ?? terminal_output_delta ?? terminal_exit) this.callsWithNewOutput.add(call);
  }

  /** Uses the raw output of a call, because Codex sends the output of a replayed command only there. */
  private applyRawOutput(call: ToolCallState): void {
    const terminal = call.content.find((item) => item.type === 'terminal');
    if (!terminal) return;
    const output = CommandResult.safeParse(call.output).data?.formatted_output;
    if (output !== undefined && this.terminals.get(terminal.terminalId).output === '') {
      this.terminals.append(terminal.terminalId, output);
    }
  }

  private markCallsWithNewOutput(terminalId: string): void {
    for (const call of this.calls.values()) {
      if (call.shownIn) continue;
      if (call.content.some((item) => item.type === 'terminal' && item.terminalId === terminalId))
        this.callsWithNewOutput.add(call);
    }
  }

  private startEvent(call: ToolCallState): SessionEvent {
    const parent = call.parentId === undefined ? {} : { parent_call_id: call.parentId };
    return {
      event: 'tool:pre',
      data: { ...this.sessionAndToolFields(call), input: call.input, ...parent, ...this.callDetailFields(call) },
    };
  }

  private updateEvent(call: ToolCallState, changes: ToolCallChanges): SessionEvent {
    if (changes.content) this.callsWithNewOutput.delete(call);
    const content = changes.content ? { content: this.contentOf(call) } : {};
    const data = { session_id: this.sessionId, call_id: call.id, ...changes, ...content, ...this.stopField(call) };
    return { event: 'tool:update', data };
  }

  private endCall(call: ToolCallState): SessionEvent {
    call.hasEnded = true;
    this.callsWithNewOutput.delete(call);
    const shared = { ...this.sessionAndToolFields(call), ...this.callDetailFields(call) };
    if (call.status === 'cancelled')
      return { event: 'tool:error', data: { ...shared, error: 'Canceled.', unfinished: true } };
    if (call.status === 'failed') return { event: 'tool:error', data: { ...shared, error: this.errorOf(call) } };
    const output = call.output ?? (this.textOf(call) || undefined);
    const result = { success: true, ...(output === undefined ? {} : { output }) };
    const durationMs = Math.round(this.clock.monotonicNow() - call.startedAtMs);
    return { event: 'tool:post', data: { ...shared, result, duration_ms: durationMs } };
  }

  private sessionAndToolFields({ name, kind }: ToolCallState) {
    return { session_id: this.sessionId, tool_name: name ?? kind, operation: kind };
  }

  private callDetailFields(call: ToolCallState) {
    return {
      call_id: call.id,
      kind: call.kind,
      ...(call.title === undefined ? {} : { title: call.title }),
      ...(call.locations.length > 0 ? { locations: [...call.locations] } : {}),
      ...(call.content.length > 0 ? { content: this.contentOf(call) } : {}),
      ...this.stopField(call),
    };
  }

  private isStopNews(call: ToolCallState): boolean {
    return call.isShownStoppable !== (this.stopTargetOf(call.id) !== undefined);
  }

  private stopField(call: ToolCallState): { can_stop?: boolean } {
    if (!this.isStopNews(call)) return {};
    call.isShownStoppable = !call.isShownStoppable;
    return { can_stop: call.isShownStoppable };
  }

  private contentOf(call: ToolCallState): ToolContent[] {
    return toToolContent(call.content, (id) => this.terminals.get(id));
  }

  private textOf(call: ToolCallState): string {
    return this.contentOf(call)
      .flatMap((item) => (item.type === 'text' ? [item.text] : []))
      .join('\n');
  }

  private errorOf(call: ToolCallState): string {
    const said = typeof call.output === 'string' ? call.output : this.textOf(call);
    if (said !== '') return said;
    const code = this.contentOf(call).find((item) => item.type === 'terminal')?.exit_code;
    return typeof code === 'number' ? `The command ended with exit code ${code}.` : 'The tool call failed.';
  }
}
