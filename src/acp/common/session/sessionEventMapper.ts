import type { EventData, SessionEvent, SlashCommand, TokenUsage } from '../../../session/common/sessionEvents';
import { ToolKind } from '../../../session/common/sessionEvents';
import { SessionTurns } from '../../../session/common/engine/sessionTurns';
import type { OpenTurn } from '../../../session/common/engine/turnState';
import { isModeOption, highestUnattendedAction } from '../../../session/common/optionChoices';
import type { Clock } from '../../../base/common/async';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { AgentNotice, ContextUsage, PermissionRequest, StopReason, ToolCallPatch } from './agentMessages';
import { afterTaskNotice, eventOfNotice, eventsOfCompaction, noticeEvent } from './agentNotices';
import { ConfigOptions } from './configOptions';
import type { TerminalState } from './terminalStates';
import { contentOfBlock, textOfBlock } from './toolContent';
import type { OwnAction } from '../actions/ownActions';
import type { StopTarget } from '../calls/stoppableParts';
import { hasContent } from '../calls/toolCallState';
import { ToolCalls, type CallDescription } from './toolCalls';
import { UnattendedActionDetector } from './unattendedActionDetector';
import type { ContentBlock, ToolCallContent } from './wireSchema';

const emptyUpdate = 'tool_call_update (of an unknown call, without content)';

interface TurnEnd {
  readonly stopReason: StopReason;
  readonly unknownReason?: string | undefined;
  readonly usage?: TokenUsage;
}

/**
 * Maps an agent's messages in a session to session events. Its only side effects are those on `turns`: it opens and ends
 * turns together with the events that say so. The versions of the protocol read their updates and call this.
 */
export class SessionEventMapper {
  /** The first line of the last prompt. */
  promptTitle: string | undefined;
  readonly config: ConfigOptions;
  private commandList: readonly SlashCommand[] = [];
  private readonly toolCalls: ToolCalls;
  private readonly unattendedActionDetector = new UnattendedActionDetector();
  private readonly ignoredCountByName = new Map<string, number>();

  /**
   * The messages that are streamed, by block index, each with the agent's id of it. They are closed when something else
   * follows.
   */
  private readonly openMessages = new Map<number, string | undefined>();
  private isReplaying = false;
  private replayedPrompt: { text: string; readonly messageId: string | undefined } | undefined;
  private takePendingEvents: () => readonly SessionEvent[] = () => [];

  constructor(
    private readonly sessionId: string,
    clock: Pick<Clock, 'monotonicNow'>,
    agent: () => string | undefined = () => undefined,
    readonly turns = new SessionTurns(),
  ) {
    this.config = new ConfigOptions(agent);
    this.toolCalls = new ToolCalls(sessionId, clock);
  }

  /** Sets the function that is called before each end of a turn. Its events are emitted before the turn ends. */
  onEndOfTurn(takePendingEvents: () => readonly SessionEvent[]): void {
    this.takePendingEvents = takePendingEvents;
  }

  get commands(): readonly SlashCommand[] {
    return this.commandList;
  }

  get ignoredUpdateCounts(): ReadonlyMap<string, number> {
    return this.ignoredCountByName;
  }

  /** Whether terminal output is waiting for `takeTerminalUpdates`. */
  get hasPendingTerminalUpdates(): boolean {
    return this.toolCalls.hasPendingTerminalUpdates;
  }

  /** Handles a tool call. `isAnnounced`: the agent says that it begins now, also if its id was that of an earlier turn. */
  mapToolCall(update: ToolCallPatch, isAnnounced = false): SessionEvent[] {
    return this.endMessagesAndMark(this.toolCalls.applyCallUpdate(update, isAnnounced));
  }

  /** Like `mapToolCall`, but only counts an update of an unknown call if there is nothing to show. */
  mapToolCallUpdate(update: ToolCallPatch): SessionEvent[] {
    return this.isUnknownAndEmpty(update) ? this.countIgnored(emptyUpdate) : this.mapToolCall(update);
  }

  /** Like `mapToolCallUpdate`, for a call of a subagent. */
  mapNestedCallUpdate(update: ToolCallPatch): SessionEvent[] {
    return this.isUnknownAndEmpty(update) ? this.countIgnored(emptyUpdate) : this.mapNestedCall(update);
  }

  /** Like `mapToolCall`, for a subagent or one of its calls. Does not end the current message of the session. */
  mapNestedCall(update: ToolCallPatch): SessionEvent[] {
    return this.toolCalls.applyCallUpdate(update).map((event) => this.withUnattendedMark(event));
  }

  /** Appends items to the content of a call. */
  mapToolCallContent(toolCallId: string, items: readonly ToolCallContent[]): SessionEvent[] {
    return this.endMessagesAndMark(this.toolCalls.appendContent(toolCallId, items));
  }

  /** Applies the information about a tool call in a permission request. */
  mapPermissionRequest({ subject }: Pick<PermissionRequest, 'subject'>): SessionEvent[] {
    this.unattendedActionDetector.recordAskedAction();
    const changedOptions = this.config.recordAskedApproval() ? [this.configEvent()] : [];
    if (subject.kind !== 'toolCall') return [...this.endMessages(), ...changedOptions];
    const { toolCall } = subject;
    const events = this.toolCalls.applyRequestedCall(toolCall).map((event) => this.withUnattendedMark(event));
    return [...(toolCall.parentCallId === undefined ? this.endMessages() : []), ...events, ...changedOptions];
  }

  /** Call when the user is asked, for whatever the agent wants to do. */
  recordAskedAction(): void {
    this.unattendedActionDetector.recordAskedAction();
  }

  describeCall(id: string): CallDescription | undefined {
    return this.toolCalls.describeCall(id);
  }

  hasToolCall(id: string): boolean {
    return this.toolCalls.describeCall(id) !== undefined;
  }

  /** Updates a terminal that the agent runs. `canCancel`: see `ToolCalls.setTerminal`. */
  setAgentTerminal(terminalId: string, view: TerminalState, canCancel?: boolean): void {
    this.toolCalls.setTerminal(terminalId, view, false, canCancel);
  }

  /** How the user can stop what an entry shows. Undefined if that is not possible. */
  stopTargetOf(entryId: string): StopTarget | undefined {
    return this.toolCalls.stopTargetOf(entryId);
  }

  /** Sets the output of a terminal that Backline runs. The caller has checked the permission. */
  setClientTerminal(terminalId: string, view: TerminalState): void {
    this.unattendedActionDetector.recordAskedAction('runs');
    this.toolCalls.setTerminal(terminalId, view, true);
  }

  /** Adds something that Backline does for the agent. It gets an entry if the agent does not report it. */
  addOwnAction(action: OwnAction): string {
    return this.toolCalls.addOwnAction(action);
  }

  get hasUnreportedActions(): boolean {
    return this.toolCalls.hasUnreportedActions;
  }

  /** Shows the actions that the agent has not reported. */
  mapUnreportedActions(): SessionEvent[] {
    return this.inUnpromptedTurn(this.withMessagesEnded(this.toolCalls.showUnreported()));
  }

  endOwnAction(id: string, change: Pick<OwnAction, 'status' | 'output'>): SessionEvent[] {
    return this.withMessagesEnded(this.toolCalls.endOwnAction(id, change));
  }

  /** The id of the entry that shows a call of the agent. */
  entryIdOf(callId: string): string {
    return this.toolCalls.entryIdOf(callId);
  }

  takeTerminalUpdates(): SessionEvent[] {
    return this.toolCalls.takeTerminalUpdates();
  }

  get isInOwnTurn(): boolean {
    return this.turns.state.open?.kind === 'own';
  }

  get hasOpenCalls(): boolean {
    return this.toolCalls.openCalls.length > 0;
  }

  get isInReplay(): boolean {
    return this.isReplaying;
  }

  startTurn(prompt: string, requestId: string): SessionEvent[] {
    this.promptTitle = prompt.trim().split('\n', 1)[0];
    // A turn that the agent began itself ends without an event: one that came now would end the turn of this prompt for a
    // reader that has recorded the prompt already.
    const events = this.endReplay();
    this.turns.apply({ type: 'prompted', requestId });
    events.push({ event: 'prompt:submit', data: { session_id: this.sessionId, prompt, request_id: requestId } });
    return events;
  }

  /** Ends the turn. Returns no events if no turn is open, for example after a failure. */
  endTurn({ stopReason, unknownReason, usage }: TurnEnd): SessionEvent[] {
    const { open } = this.turns.state;
    if (!open) return [];
    const events = this.endOpenParts();
    const unknown = withoutUndefined({ unknown_stop_reason: unknownReason });
    const data = { ...this.sessionAndRequestFields(open), response: '', stop_reason: stopReason, ...unknown };
    events.push({ event: 'prompt:complete', data: usage ? { ...data, token_usage: usage } : data });
    return events;
  }

  /** Like `endTurn`, but does nothing in an own turn. */
  endTurnOfOthers(end: TurnEnd): SessionEvent[] {
    return this.isInOwnTurn ? [] : this.endTurn(end);
  }

  /** Ends the turn with a failure. `details` help to diagnose it. */
  failTurn(error: string, code: string, details?: string): SessionEvent[] {
    const { open } = this.turns.state;
    if (!open) return [];
    const events = this.endOpenParts();
    const data = { ...this.sessionAndRequestFields(open), error, code };
    events.push({ event: 'error', data: details === undefined ? data : { ...data, details } });
    return events;
  }

  startReplay(): void {
    this.isReplaying = true;
  }

  /** `isWorking`: the agent is still working on the last turn of the history. */
  endReplay(isWorking = false): SessionEvent[] {
    if (!this.isReplaying) return [];
    const events = this.flushReplayedPrompt();
    if (!isWorking) events.push(...this.endTurn({ stopReason: 'end_turn' }));
    this.isReplaying = false;
    return events;
  }

  /** Maps a prompt that another client sent, or that the agent added. */
  mapOthersPrompt(prompt: string): SessionEvent[] {
    const events = this.endTurn({ stopReason: 'end_turn' });
    this.turns.apply({ type: 'othersPrompted' });
    return [...events, { event: 'prompt:submit', data: { session_id: this.sessionId, prompt } }];
  }

  /** Opens an unprompted turn for `events`, if no turn is open. Session events have no start event for such a turn. */
  inUnpromptedTurn<Events extends readonly SessionEvent[] | undefined>(events: Events): Events {
    if (events && events.length > 0 && !this.isReplaying) this.turns.apply({ type: 'acted' });
    return events;
  }

  configEvent(): SessionEvent {
    return { event: 'config:update', data: { session_id: this.sessionId, options: [...this.config.options] } };
  }

  mapThought(content: ContentBlock): SessionEvent[] {
    const delta = textOfBlock(content);
    return [...this.endMessages(), { event: 'thinking:delta', data: { session_id: this.sessionId, delta } }];
  }

  mapPlan(entries: PlanEntries): SessionEvent[] {
    return [{ event: 'plan:update', data: { session_id: this.sessionId, entries: [...entries] } }];
  }

  mapCommands(commands: readonly SlashCommand[]): SessionEvent[] {
    this.commandList = commands;
    return [{ event: 'commands:update', data: { session_id: this.sessionId, commands: [...commands] } }];
  }

  mapInfo({ title, updatedAt }: { title: string | undefined; updatedAt: string | undefined }): SessionEvent[] {
    const data = { session_id: this.sessionId, ...withoutUndefined({ title, updated_at: updatedAt }) };
    return [{ event: 'session:info', data }];
  }

  mapUsage({ used, size, cost, isAfterTask }: ContextUsage): SessionEvent[] {
    const data = { session_id: this.sessionId, used, size, ...(cost ? { cost } : {}) };
    const notice = isAfterTask ? [noticeEvent(this.sessionId, 'info', afterTaskNotice)] : [];
    return [{ event: 'usage:update', data }, ...this.withMessagesEnded(notice)];
  }

  mapNotice(notice: AgentNotice): SessionEvent[] {
    return [eventOfNotice(this.sessionId, notice)];
  }

  mapStatus(status: string, message: string): SessionEvent[] {
    return [{ event: 'status:update', data: { session_id: this.sessionId, status, message } }];
  }

  mapCompaction(update: { status: string; error: string | undefined }): SessionEvent[] {
    return eventsOfCompaction(this.sessionId, update);
  }

  /** Maps a part of a prompt in a replayed history. */
  mapReplayedPrompt(text: string, messageId: string | undefined): SessionEvent[] {
    // During a live turn, this update repeats the prompt, which was already emitted when the turn started.
    if (!this.isReplaying) return [];
    const current = this.replayedPrompt;
    if (current && current.messageId === messageId) {
      current.text += text;
      return [];
    }
    const events = [...this.flushReplayedPrompt(), ...this.endTurn({ stopReason: 'end_turn' })];
    this.replayedPrompt = { text, messageId };
    return events;
  }

  /** Emits the replayed prompt, which is complete as soon as something else follows. */
  flushReplayedPrompt(): SessionEvent[] {
    const { replayedPrompt } = this;
    if (!replayedPrompt) return [];
    this.replayedPrompt = undefined;
    this.turns.apply({ type: 'othersPrompted' });
    const data = { session_id: this.sessionId, prompt: replayedPrompt.text, replayed: true };
    return [{ event: 'prompt:submit', data }];
  }

  /** Maps a part of a message. Messages with other `block_index` can be streamed at the same time. */
  mapMessageChunk(content: ContentBlock, messageId: string | undefined, block_index = 0): SessionEvent[] | undefined {
    if (content.type === 'unknown') return undefined;
    const ofBlock = { session_id: this.sessionId, block_index };
    if (content.type !== 'text') {
      const shown = contentOfBlock(content);
      if (!shown) return [];
      return [
        ...this.endMessageBlock(block_index),
        { event: 'content_block:media', data: { ...ofBlock, content: shown } },
        { event: 'content_block:end', data: ofBlock },
      ];
    }
    const delta: SessionEvent = { event: 'content_block:delta', data: { ...ofBlock, delta: content.text } };
    const isOpen = this.openMessages.has(block_index) && this.openMessages.get(block_index) === messageId;
    if (isOpen) return [delta];
    this.openMessages.set(block_index, messageId);
    const ofMessage = withoutUndefined({ message_id: messageId });
    const start = { session_id: this.sessionId, block_type: 'text', block_index, ...ofMessage };
    return [{ event: 'content_block:start', data: start }, delta];
  }

  endMessageBlock(index: number): SessionEvent[] {
    if (!this.openMessages.delete(index)) return [];
    return [{ event: 'content_block:end', data: { session_id: this.sessionId, block_index: index } }];
  }

  private endMessages(): SessionEvent[] {
    return [...this.openMessages.keys()].flatMap((index) => this.endMessageBlock(index));
  }

  mapReadPrompt(promptId: string): SessionEvent[] {
    return [{ event: 'prompt:read', data: { session_id: this.sessionId, prompt_id: promptId } }];
  }

  /** Marks calls that ran without approval. Skips replayed calls, and agents with modes, which are more precise. */
  private withUnattendedMark(event: SessionEvent): SessionEvent {
    if (event.event !== 'tool:post' || this.toolCalls.isAction(event.data.call_id)) return event;
    if (this.isReplaying || !this.isInOwnTurn) return event;
    if (this.config.options.some((option) => isModeOption(option)) || highestUnattendedAction(this.config.options))
      return event;
    const kind = ToolKind.safeParse(event.data.operation).data;
    const unattended = kind && this.unattendedActionDetector.unattendedActionOf(kind);
    return unattended ? { ...event, data: { ...event.data, unattended } } : event;
  }

  private endOpenParts(): SessionEvent[] {
    const pending = this.takePendingEvents();
    this.turns.apply({ type: 'ended' });
    return [...this.endMessages(), ...pending, ...this.toolCalls.endTurn()];
  }

  private sessionAndRequestFields(turn: OpenTurn) {
    return { session_id: this.sessionId, ...(turn.kind === 'own' ? { request_id: turn.requestId } : {}) };
  }

  countIgnored(updateName: string): SessionEvent[] {
    // The number of distinct names is limited, because the agent chooses them.
    const name = this.ignoredCountByName.size < 100 || this.ignoredCountByName.has(updateName) ? updateName : 'others';
    this.ignoredCountByName.set(name, (this.ignoredCountByName.get(name) ?? 0) + 1);
    return [];
  }

  private withMessagesEnded(events: readonly SessionEvent[]): SessionEvent[] {
    return events.length === 0 ? [] : [...this.endMessages(), ...events];
  }

  private isUnknownAndEmpty(update: ToolCallPatch): boolean {
    return !this.hasToolCall(update.toolCallId) && !hasContent(update);
  }

  private endMessagesAndMark(events: readonly SessionEvent[]): SessionEvent[] {
    return [...this.endMessages(), ...events.map((event) => this.withUnattendedMark(event))];
  }
}

type PlanEntries = readonly EventData<'plan:update'>['entries'][number][];
