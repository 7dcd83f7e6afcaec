import type * as z from 'zod';
import type { SessionEvent, SlashCommand, TokenUsage } from '../../../session/common/sessionEvents';
import { ToolKind } from '../../../session/common/sessionEvents';
import { isModeOption, unattendedIn } from '../../../session/common/optionChoices';
import type { Clock } from '../../../base/common/async';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { ConfigOptions } from './configOptions';
import type { TerminalView } from './terminalViews';
import type { TokenCounts } from './turnUsage';
import { blockToContent, blockToText } from './toolContent';
import { ToolCalls, type CallDescription } from './toolCalls';
import { UnattendedWatch } from './unattendedWatch';
import {
  sessionUpdates,
  type ContentBlock,
  type PromptResult,
  type SessionUpdateKind,
  type ToolCallUpdate,
} from './v1Schema';

/** How a turn ended, unless it failed. */
interface TurnEnd {
  readonly stopReason: PromptResult['stopReason'] | 'interrupted';
  readonly usage?: TokenUsage;
}

interface Turn {
  readonly requestId?: string;
}

/** Returns the events of an update; undefined if the update is malformed. */
type Handler = (update: object) => SessionEvent[] | undefined;

/**
 * Maps ACP v1 session updates to session events, without side effects. At most one turn is open; turns of the history
 * that `session/load` replays count, too.
 */
export class SessionMapping {
  readonly config: ConfigOptions;
  private commandList: readonly SlashCommand[] = [];
  private readonly tools: ToolCalls;
  private readonly watch = new UnattendedWatch();
  private readonly ignoredUpdates = new Map<string, number>();

  private turn: Turn | undefined;
  /** The current streamed message; undefined once something else follows. */
  private message: { readonly id: string | undefined } | undefined;
  private replaying = false;
  /** The replayed prompt whose chunks are being collected. */
  private replayedPrompt: { text: string; readonly messageId: string | undefined } | undefined;

  constructor(
    private readonly sessionId: string,
    clock: Pick<Clock, 'monotonicNow'>,
    /** Returns the known agent's id. */
    agent: () => string | undefined = () => undefined,
  ) {
    this.config = new ConfigOptions(agent);
    this.tools = new ToolCalls(sessionId, clock);
  }

  get commands(): readonly SlashCommand[] {
    return this.commandList;
  }

  /** Counts of updates that were not understood, by kind. */
  get ignored(): ReadonlyMap<string, number> {
    return this.ignoredUpdates;
  }

  /** Whether terminal output is waiting for `takeTerminalUpdates`. */
  get hasTerminalUpdates(): boolean {
    return this.tools.hasTerminalUpdates;
  }

  /** `update` is that member of a `session/update`, unparsed. */
  update(update: { readonly sessionUpdate: string }): SessionEvent[] {
    const { sessionUpdate: kind } = update;
    if (!isKnown(kind)) return this.ignore(kind);
    const replayed = kind === 'user_message_chunk' ? [] : this.flushReplayedPrompt();
    const events = this.table[kind](update) ?? this.ignore(`${kind} (not understood)`);
    return replayed.length > 0 ? [...replayed, ...events] : events;
  }

  /** Handles a tool call, which the agent may not have announced. */
  toolCall(update: ToolCallUpdate): SessionEvent[] {
    return [...this.endMessage(), ...this.tools.upsert(update).map((event) => this.withWhatItShows(event))];
  }

  /** Handles the tool call of a permission request. */
  askedCall(update: ToolCallUpdate): SessionEvent[] {
    this.watch.hasAsked();
    return this.toolCall(update);
  }

  /** Notes that the agent asked, and returns the event unchanged. */
  ofQuestion(event: SessionEvent): SessionEvent {
    if (event.event === 'approval:required') this.watch.hasAsked();
    return event;
  }

  describeCall(id: string): CallDescription | undefined {
    return this.tools.describe(id);
  }

  /** Updates a terminal that Backline runs, after its permission was checked. */
  setTerminal(terminalId: string, view: TerminalView): void {
    this.watch.hasAsked('runs');
    this.tools.setTerminal(terminalId, view);
  }

  takeTerminalUpdates(): SessionEvent[] {
    return this.tools.takeTerminalUpdates();
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
    const events = this.closeTurn();
    const data = { ...this.ofTurn(turn), response: '', stop_reason: stopReason };
    events.push({ event: 'prompt:complete', data: usage ? { ...data, token_usage: usage } : data });
    return events;
  }

  /** Ends the turn with a failure. `details` help to diagnose it. */
  failTurn(error: string, code: string, details?: string): SessionEvent[] {
    const { turn } = this;
    if (!turn) return [];
    const events = this.closeTurn();
    const data = { ...this.ofTurn(turn), error, code };
    events.push({ event: 'error', data: details === undefined ? data : { ...data, details } });
    return events;
  }

  startReplay(): void {
    this.replaying = true;
  }

  endReplay(): SessionEvent[] {
    if (!this.replaying) return [];
    const events = [...this.flushReplayedPrompt(), ...this.endTurn({ stopReason: 'end_turn' })];
    this.replaying = false;
    return events;
  }

  configEvent(): SessionEvent {
    return { event: 'config:update', data: { session_id: this.sessionId, options: [...this.config.all] } };
  }

  private readonly table: Readonly<Record<SessionUpdateKind, Handler>> = {
    user_message_chunk: on(sessionUpdates.user_message_chunk, ({ content, messageId }) =>
      this.userChunk(content, messageId),
    ),
    agent_message_chunk: on(sessionUpdates.agent_message_chunk, ({ content, messageId }) =>
      this.agentChunk(content, messageId),
    ),
    agent_thought_chunk: on(sessionUpdates.agent_thought_chunk, ({ content }) => [
      ...this.endMessage(),
      { event: 'thinking:delta', data: { session_id: this.sessionId, delta: blockToText(content) } },
    ]),
    tool_call: on(sessionUpdates.tool_call, (update) => this.toolCall(update)),
    tool_call_update: on(sessionUpdates.tool_call_update, (update) => this.toolCall(update)),
    plan: on(sessionUpdates.plan, ({ entries }) => [
      { event: 'plan:update', data: { session_id: this.sessionId, entries } },
    ]),
    available_commands_update: on(sessionUpdates.available_commands_update, ({ availableCommands }) => {
      this.commandList = availableCommands.map(({ name, description, input }) =>
        input?.hint === undefined ? { name, description } : { name, description, hint: input.hint },
      );
      return [{ event: 'commands:update', data: { session_id: this.sessionId, commands: [...this.commandList] } }];
    }),
    current_mode_update: on(sessionUpdates.current_mode_update, ({ currentModeId }) => {
      this.config.setMode(currentModeId);
      return [this.configEvent()];
    }),
    config_option_update: on(sessionUpdates.config_option_update, ({ configOptions }) => {
      this.config.declare(configOptions);
      return [this.configEvent()];
    }),
    session_info_update: on(sessionUpdates.session_info_update, ({ title, updatedAt }) => [
      {
        event: 'session:info',
        data: { session_id: this.sessionId, ...withoutUndefined({ title, updated_at: updatedAt }) },
      },
    ]),
    usage_update: on(sessionUpdates.usage_update, ({ used, size, cost }) => [
      { event: 'usage:update', data: { session_id: this.sessionId, used, size, ...(cost ? { cost } : {}) } },
    ]),
    notice: on(sessionUpdates.notice, ({ severity, title, description }) => [
      this.notice(toLevel(severity), description === undefined ? title : `${title}\n${description}`),
    ]),
    compaction_update: on(sessionUpdates.compaction_update, ({ status, error }) => this.compaction(status, error)),
    // The summary is internal to the agent; the user only needs to know that the history was compacted.
    compaction_summary_chunk: on(sessionUpdates.compaction_summary_chunk, () => []),
  };

  private userChunk(content: ContentBlock, messageId: string | undefined): SessionEvent[] {
    // During our own turn, this echoes the prompt, which was emitted at the turn's start.
    if (!this.replaying) return [];
    const text = blockToText(content);
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
      const shown = blockToContent(content);
      if (!shown) return [];
      return [
        ...this.endMessage(),
        { event: 'content_block:media', data: { ...ofBlock, content: shown } },
        { event: 'content_block:end', data: ofBlock },
      ];
    }
    const delta: SessionEvent = { event: 'content_block:delta', data: { ...ofBlock, delta: content.text } };
    if (this.message && this.message.id === messageId) return [delta];
    this.message = { id: messageId };
    const ofMessage = withoutUndefined({ message_id: messageId });
    const start = { session_id: this.sessionId, block_type: 'text', block_index: 0, ...ofMessage };
    return [{ event: 'content_block:start', data: start }, delta];
  }

  private endMessage(): SessionEvent[] {
    if (!this.message) return [];
    this.message = undefined;
    return [{ event: 'content_block:end', data: { session_id: this.sessionId, block_index: 0 } }];
  }

  private compaction(status: string, error: string | undefined): SessionEvent[] {
    const message = 'The agent is compacting the conversation.';
    switch (status) {
      case 'in_progress':
        return [{ event: 'status:update', data: { session_id: this.sessionId, status: 'compacting', message } }];
      case 'completed':
        return [this.notice('info', 'The agent compacted the conversation. Details may be lost.')];
      case 'failed':
        return [this.notice('warning', `The agent could not compact the conversation. ${error ?? ''}`.trim())];
      default:
        return [];
    }
  }

  private notice(level: 'info' | 'warning' | 'error', message: string): SessionEvent {
    return { event: 'notice', data: { session_id: this.sessionId, level, message } };
  }

  /** Marks calls that ran without asking, except replayed calls and agents with modes, which are more exact. */
  private withWhatItShows(event: SessionEvent): SessionEvent {
    if (event.event !== 'tool:post' || this.replaying || !this.turn) return event;
    if (this.config.all.some((option) => isModeOption(option)) || unattendedIn(this.config.all)) return event;
    const kind = ToolKind.safeParse(event.data.operation).data;
    const unattended = kind && this.watch.shownBy(kind);
    return unattended ? { ...event, data: { ...event.data, unattended } } : event;
  }

  private closeTurn(): SessionEvent[] {
    this.turn = undefined;
    return [...this.endMessage(), ...this.tools.release()];
  }

  private ofTurn({ requestId }: Turn) {
    return { session_id: this.sessionId, ...withoutUndefined({ request_id: requestId }) };
  }

  private ignore(what: string): SessionEvent[] {
    // Limits distinct names, because the agent chooses them.
    const name = this.ignoredUpdates.size < 100 || this.ignoredUpdates.has(what) ? what : 'others';
    this.ignoredUpdates.set(name, (this.ignoredUpdates.get(name) ?? 0) + 1);
    return [];
  }
}

/** Reads the end of a turn from the result of `session/prompt`. `toUsage` converts counts to the turn's usage. */
export function turnEndOf({ stopReason, usage, _meta }: PromptResult, toUsage: ToUsage): TurnEnd {
  if (usage) return { stopReason, usage: toUsage({ input: usage.inputTokens, output: usage.outputTokens }) };
  const quota = _meta?.quota.token_count;
  if (!quota) return { stopReason };
  return { stopReason, usage: toUsage({ input: quota.input_tokens, output: quota.output_tokens }) };
}

type ToUsage = (counted: TokenCounts) => TokenUsage;

function on<Schema extends z.ZodType>(
  schema: Schema,
  handle: (update: z.output<Schema>) => SessionEvent[] | undefined,
): Handler {
  return (update) => {
    const parsed = schema.safeParse(update);
    return parsed.success ? handle(parsed.data) : undefined;
  };
}

function isKnown(kind: string): kind is SessionUpdateKind {
  return Object.hasOwn(sessionUpdates, kind);
}

function toLevel(severity: string): 'info' | 'warning' | 'error' {
  return severity === 'warning' || severity === 'error' ? severity : 'info';
}
