import type * as z from 'zod';
import type { SessionEvent, SlashCommand, TokenUsage } from '../../../session/common/sessionEvents';
import { ToolKind } from '../../../session/common/sessionEvents';
import { isModeOption, unattendedActionsOf } from '../../../session/common/optionChoices';
import type { Clock } from '../../../base/common/async';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { ConfigOptions } from './configOptions';
import type { TerminalView } from './terminalViews';
import type { TokenCounts } from './turnUsage';
import { contentOfBlock, textOfBlock } from './toolContent';
import { ToolCalls, type CallDescription } from './toolCalls';
import { UnattendedWatch } from './unattendedWatch';
import {
  sessionUpdates,
  type ContentBlock,
  type PromptResult,
  type SessionUpdateKind,
  type ToolCallUpdate,
} from '../v1/v1Schema';

interface TurnEnd {
  readonly stopReason: PromptResult['stopReason'] | 'interrupted';
  readonly usage?: TokenUsage;
}

interface Turn {
  readonly requestId?: string;
}

/** Returns the events of an update; undefined if the update is malformed. */
type UpdateHandler = (update: object) => SessionEvent[] | undefined;

/** Maps ACP v1 session updates to session events, without side effects. At most one turn is open, live or replayed. */
export class SessionEventMapper {
  readonly config: ConfigOptions;
  private commandList: readonly SlashCommand[] = [];
  private readonly toolCalls: ToolCalls;
  private readonly unattendedWatch = new UnattendedWatch();
  private readonly ignoredUpdates = new Map<string, number>();

  private turn: Turn | undefined;
  /** The current streamed message; undefined once something else follows. */
  private currentMessage: { readonly id: string | undefined } | undefined;
  private isReplaying = false;
  private replayedPrompt: { text: string; readonly messageId: string | undefined } | undefined;

  constructor(
    private readonly sessionId: string,
    clock: Pick<Clock, 'monotonicNow'>,
    agent: () => string | undefined = () => undefined,
  ) {
    this.config = new ConfigOptions(agent);
    this.toolCalls = new ToolCalls(sessionId, clock);
  }

  get commands(): readonly SlashCommand[] {
    return this.commandList;
  }

  get ignoredUpdateCounts(): ReadonlyMap<string, number> {
    return this.ignoredUpdates;
  }

  /** Whether terminal output is waiting for `takeTerminalUpdates`. */
  get hasTerminalUpdates(): boolean {
    return this.toolCalls.hasTerminalUpdates;
  }

  /** Maps the unparsed `update` member of a `session/update`. */
  mapUpdate(update: { readonly sessionUpdate: string }): SessionEvent[] {
    const { sessionUpdate: kind } = update;
    if (!isKnownUpdateKind(kind)) return this.countIgnored(kind);
    const replayed = kind === 'user_message_chunk' ? [] : this.flushReplayedPrompt();
    const events = this.updateHandlers[kind](update) ?? this.countIgnored(`${kind} (not understood)`);
    return replayed.length > 0 ? [...replayed, ...events] : events;
  }

  /** Handles a tool call, which the agent may not have announced. */
  mapToolCall(update: ToolCallUpdate): SessionEvent[] {
    return [
      ...this.endMessage(),
      ...this.toolCalls.applyCallUpdate(update).map((event) => this.withUnattendedMark(event)),
    ];
  }

  mapRequestedToolCall(update: ToolCallUpdate): SessionEvent[] {
    this.unattendedWatch.recordAskedAction();
    return this.mapToolCall(update);
  }

  /** Records that the agent requested an approval, and returns the event unchanged. */
  recordApprovalRequest(event: SessionEvent): SessionEvent {
    if (event.event === 'approval:required') this.unattendedWatch.recordAskedAction();
    return event;
  }

  describeCall(id: string): CallDescription | undefined {
    return this.toolCalls.describeCall(id);
  }

  /** Updates a terminal that Backline runs, after its permission was checked. */
  setTerminal(terminalId: string, view: TerminalView): void {
    this.unattendedWatch.recordAskedAction('runs');
    this.toolCalls.setTerminal(terminalId, view);
  }

  takeTerminalUpdates(): SessionEvent[] {
    return this.toolCalls.takeTerminalUpdates();
  }

  startTurn(prompt: string, requestId: string): SessionEvent[] {
    const events = this.endReplay();
    this.turn = { requestId };
    events.push({ event: 'prompt:submit', data: { session_id: this.sessionId, prompt, request_id: requestId } });
    return events;
  }

  /** Returns nothing if no turn is open, as after a failure. */
  endTurn({ stopReason, usage }: TurnEnd): SessionEvent[] {
    const { turn } = this;
    if (!turn) return [];
    const events = this.endOpenParts();
    const data = { ...this.sessionAndRequestFields(turn), response: '', stop_reason: stopReason };
    events.push({ event: 'prompt:complete', data: usage ? { ...data, token_usage: usage } : data });
    return events;
  }

  /** Ends the turn with a failure. `details` help to diagnose it. */
  failTurn(error: string, code: string, details?: string): SessionEvent[] {
    const { turn } = this;
    if (!turn) return [];
    const events = this.endOpenParts();
    const data = { ...this.sessionAndRequestFields(turn), error, code };
    events.push({ event: 'error', data: details === undefined ? data : { ...data, details } });
    return events;
  }

  startReplay(): void {
    this.isReplaying = true;
  }

  endReplay(): SessionEvent[] {
    if (!this.isReplaying) return [];
    const events = [...this.flushReplayedPrompt(), ...this.endTurn({ stopReason: 'end_turn' })];
    this.isReplaying = false;
    return events;
  }

  configEvent(): SessionEvent {
    return { event: 'config:update', data: { session_id: this.sessionId, options: [...this.config.options] } };
  }

  private readonly updateHandlers: Readonly<Record<SessionUpdateKind, UpdateHandler>> = {
    user_message_chunk: parsedWith(sessionUpdates.user_message_chunk, ({ content, messageId }) =>
      this.userChunk(content, messageId),
    ),
    agent_message_chunk: parsedWith(sessionUpdates.agent_message_chunk, ({ content, messageId }) =>
      this.agentChunk(content, messageId),
    ),
    agent_thought_chunk: parsedWith(sessionUpdates.agent_thought_chunk, ({ content }) => [
      ...this.endMessage(),
      { event: 'thinking:delta', data: { session_id: this.sessionId, delta: textOfBlock(content) } },
    ]),
    tool_call: parsedWith(sessionUpdates.tool_call, (update) => this.mapToolCall(update)),
    tool_call_update: parsedWith(sessionUpdates.tool_call_update, (update) => this.mapToolCall(update)),
    plan: parsedWith(sessionUpdates.plan, ({ entries }) => [
      { event: 'plan:update', data: { session_id: this.sessionId, entries } },
    ]),
    available_commands_update: parsedWith(sessionUpdates.available_commands_update, ({ availableCommands }) => {
      this.commandList = availableCommands.map(({ name, description, input }) =>
        input?.hint === undefined ? { name, description } : { name, description, hint: input.hint },
      );
      return [{ event: 'commands:update', data: { session_id: this.sessionId, commands: [...this.commandList] } }];
    }),
    current_mode_update: parsedWith(sessionUpdates.current_mode_update, ({ currentModeId }) => {
      this.config.setMode(currentModeId);
      return [this.configEvent()];
    }),
    config_option_update: parsedWith(sessionUpdates.config_option_update, ({ configOptions }) => {
      this.config.setDeclaredOptions(configOptions);
      return [this.configEvent()];
    }),
    session_info_update: parsedWith(sessionUpdates.session_info_update, ({ title, updatedAt }) => [
      {
        event: 'session:info',
        data: { session_id: this.sessionId, ...withoutUndefined({ title, updated_at: updatedAt }) },
      },
    ]),
    usage_update: parsedWith(sessionUpdates.usage_update, ({ used, size, cost }) => [
      { event: 'usage:update', data: { session_id: this.sessionId, used, size, ...(cost ? { cost } : {}) } },
    ]),
    notice: parsedWith(sessionUpdates.notice, ({ severity, title, description }) => [
      this.noticeEvent(toLevel(severity), description === undefined ? title : `${title}\n${description}`),
    ]),
    compaction_update: parsedWith(sessionUpdates.compaction_update, ({ status, error }) =>
      this.compactionEvents(status, error),
    ),
    // The summary is internal to the agent; the user only needs to know that the history was compacted.
    compaction_summary_chunk: parsedWith(sessionUpdates.compaction_summary_chunk, () => []),
  };

  private userChunk(content: ContentBlock, messageId: string | undefined): SessionEvent[] {
    // During our own turn, this echoes the prompt, which was emitted at the turn's start.
    if (!this.isReplaying) return [];
    const text = textOfBlock(content);
    const current = this.replayedPrompt;
    if (current && current.messageId === messageId) {
      current.text += text;
      return [];
    }
    const events = [...this.flushReplayedPrompt(), ...this.endTurn({ stopReason: 'end_turn' })];
    this.replayedPrompt = { text, messageId };
    return events;
  }

  private flushReplayedPrompt(): SessionEvent[] {
    const { replayedPrompt } = this;
    if (!replayedPrompt) return [];
    this.replayedPrompt = undefined;
    this.turn = {};
    const data = { session_id: this.sessionId, prompt: replayedPrompt.text, replayed: true };
    return [{ event: 'prompt:submit', data }];
  }

  private agentChunk(content: ContentBlock, messageId: string | undefined): SessionEvent[] | undefined {
    if (content.type === 'unknown') return undefined;
    const ofBlock = { session_id: this.sessionId, block_index: 0 };
    if (content.type !== 'text') {
      const shown = contentOfBlock(content);
      if (!shown) return [];
      return [
        ...this.endMessage(),
        { event: 'content_block:media', data: { ...ofBlock, content: shown } },
        { event: 'content_block:end', data: ofBlock },
      ];
    }
    const delta: SessionEvent = { event: 'content_block:delta', data: { ...ofBlock, delta: content.text } };
    if (this.currentMessage && this.currentMessage.id === messageId) return [delta];
    this.currentMessage = { id: messageId };
    const ofMessage = withoutUndefined({ message_id: messageId });
    const start = { session_id: this.sessionId, block_type: 'text', block_index: 0, ...ofMessage };
    return [{ event: 'content_block:start', data: start }, delta];
  }

  private endMessage(): SessionEvent[] {
    if (!this.currentMessage) return [];
    this.currentMessage = undefined;
    return [{ event: 'content_block:end', data: { session_id: this.sessionId, block_index: 0 } }];
  }

  private compactionEvents(status: string, error: string | undefined): SessionEvent[] {
    const message = 'The agent is compacting the conversation.';
    switch (status) {
      case 'in_progress':
        return [{ event: 'status:update', data: { session_id: this.sessionId, status: 'compacting', message } }];
      case 'completed':
        return [this.noticeEvent('info', 'The agent compacted the conversation. Details may be lost.')];
      case 'failed':
        return [this.noticeEvent('warning', `The agent could not compact the conversation. ${error ?? ''}`.trim())];
      default:
        return [];
    }
  }

  private noticeEvent(level: 'info' | 'warning' | 'error', message: string): SessionEvent {
    return { event: 'notice', data: { session_id: this.sessionId, level, message } };
  }

  /** Marks calls that ran without asking, except replayed calls and agents with modes, which are more exact. */
  private withUnattendedMark(event: SessionEvent): SessionEvent {
    if (event.event !== 'tool:post' || this.isReplaying || !this.turn) return event;
    if (this.config.options.some((option) => isModeOption(option)) || unattendedActionsOf(this.config.options))
      return event;
    const kind = ToolKind.safeParse(event.data.operation).data;
    const unattended = kind && this.unattendedWatch.unattendedActionOf(kind);
    return unattended ? { ...event, data: { ...event.data, unattended } } : event;
  }

  private endOpenParts(): SessionEvent[] {
    this.turn = undefined;
    return [...this.endMessage(), ...this.toolCalls.endTurn()];
  }

  private sessionAndRequestFields({ requestId }: Turn) {
    return { session_id: this.sessionId, ...withoutUndefined({ request_id: requestId }) };
  }

  private countIgnored(what: string): SessionEvent[] {
    // Limits distinct names, because the agent chooses them.
    const name = this.ignoredUpdates.size < 100 || this.ignoredUpdates.has(what) ? what : 'others';
    this.ignoredUpdates.set(name, (this.ignoredUpdates.get(name) ?? 0) + 1);
    return [];
  }
}

/** Reads the end of a turn from the result of `session/prompt`. `toUsage` converts counts to the turn's usage. */
export function toTurnEnd({ stopReason, usage, _meta }: PromptResult, toUsage: UsageConverter): TurnEnd {
  if (usage) return { stopReason, usage: toUsage({ input: usage.inputTokens, output: usage.outputTokens }) };
  const quota = _meta?.quota.token_count;
  if (!quota) return { stopReason };
  return { stopReason, usage: toUsage({ input: quota.input_tokens, output: quota.output_tokens }) };
}

type UsageConverter = (counted: TokenCounts) => TokenUsage;

function parsedWith<Schema extends z.ZodType>(
  schema: Schema,
  handle: (update: z.output<Schema>) => SessionEvent[] | undefined,
): UpdateHandler {
  return (update) => {
    const parsed = schema.safeParse(update);
    return parsed.success ? handle(parsed.data) : undefined;
  };
}

function isKnownUpdateKind(kind: string): kind is SessionUpdateKind {
  return Object.hasOwn(sessionUpdates, kind);
}

function toLevel(severity: string): 'info' | 'warning' | 'error' {
  return severity === 'warning' || severity === 'error' ? severity : 'info';
}
