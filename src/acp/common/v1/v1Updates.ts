import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { ShownSubagentUpdate } from '../session/agentMessages';
import type { SubagentUpdates } from '../subagents/subagentUpdates';
import type { SessionEventMapper } from '../session/sessionEventMapper';
import { chunkHandler, parsingHandler, type UpdateHandler, type UpdateReader } from '../session/updateReader';
import { textOfBlock } from '../session/toolContent';
import { sharedSubagentUpdateOf } from '../subagents/sharedSubagentUpdates';
import { sessionUpdates, type SessionUpdateKind } from './v1Schema';

/** Reads the updates of ACP v1. */
export class V1Updates implements UpdateReader {
  constructor(
    private readonly mapper: SessionEventMapper,
    private readonly subagents: SubagentUpdates,
  ) {}

  /** Maps the unparsed `update` member of a `session/update`. */
  mapUpdate(update: { readonly sessionUpdate: string }): SessionEvent[] {
    const { mapper } = this;
    const { sessionUpdate: kind } = update;
    if (!isKnownUpdateKind(kind)) return mapper.countIgnored(kind);
    const replayed = kind === 'user_message_chunk' ? [] : mapper.flushReplayedPrompt();
    const events = this.updateHandlers[kind](update) ?? mapper.countIgnored(`${kind} (not understood)`);
    return replayed.length > 0 ? [...replayed, ...events] : events;
  }

  private readonly updateHandlers: Readonly<Record<SessionUpdateKind, UpdateHandler>> = {
    user_message_chunk: chunkHandler(sessionUpdates.user_message_chunk, ({ content, messageId }) =>
      this.mapper.mapReplayedPrompt(textOfBlock(content), messageId),
    ),
    agent_message_chunk: chunkHandler(sessionUpdates.agent_message_chunk, ({ content, messageId }) =>
      this.mapper.inUnpromptedTurn(this.mapper.mapMessageChunk(content, messageId)),
    ),
    agent_thought_chunk: chunkHandler(sessionUpdates.agent_thought_chunk, ({ content }) =>
      this.mapper.inUnpromptedTurn(this.mapper.mapThought(content)),
    ),
    tool_call: parsingHandler(sessionUpdates.tool_call, (update) =>
      this.mapper.inUnpromptedTurn(this.mapper.mapToolCall(update, true)),
    ),
    tool_call_update: parsingHandler(sessionUpdates.tool_call_update, (update) => {
      // A call of an earlier turn can end at any time. A new call begins a turn.
      const isNew = !this.mapper.hasToolCall(update.toolCallId);
      const events = this.mapper.mapToolCallUpdate(update);
      return isNew ? this.mapper.inUnpromptedTurn(events) : events;
    }),
    plan: parsingHandler(sessionUpdates.plan, ({ entries }) =>
      this.mapper.inUnpromptedTurn(this.mapper.mapPlan(entries)),
    ),
    available_commands_update: parsingHandler(sessionUpdates.available_commands_update, ({ availableCommands }) =>
      this.mapper.mapCommands(
        availableCommands.map(({ name, description, input }) =>
          input?.hint === undefined ? { name, description } : { name, description, hint: input.hint },
        ),
      ),
    ),
    current_mode_update: parsingHandler(sessionUpdates.current_mode_update, ({ currentModeId }) => {
      this.mapper.config.setMode(currentModeId);
      return [this.mapper.configEvent()];
    }),
    config_option_update: parsingHandler(sessionUpdates.config_option_update, ({ configOptions }) => {
      this.mapper.config.setDeclaredOptions(configOptions);
      return [this.mapper.configEvent()];
    }),
    session_info_update: parsingHandler(sessionUpdates.session_info_update, (info) => this.mapper.mapInfo(info)),
    usage_update: parsingHandler(sessionUpdates.usage_update, (usage) => this.mapper.mapUsage(usage)),
    subagent_update: parsingHandler(sessionUpdates.subagent_update, (update) => this.subagents.announce(update)),
    session_message: parsingHandler(sessionUpdates.session_message, (update) =>
      this.subagents.mapSessionMessage(update),
    ),
    session_message_chunk: parsingHandler(sessionUpdates.session_message_chunk, (update) =>
      this.subagents.mapSessionMessage(update),
    ),
    notice: parsingHandler(sessionUpdates.notice, (notice) => this.mapper.mapNotice(notice)),
    compaction_update: parsingHandler(sessionUpdates.compaction_update, (update) => this.mapper.mapCompaction(update)),
    // The summary is internal to the agent; the user only needs to know that the history was compacted.
    compaction_summary_chunk: parsingHandler(sessionUpdates.compaction_summary_chunk, () => []),
  };
}

/** Reads an update of a subagent's session; undefined if it is not shown. */
export function v1ShownSubagentUpdateOf(update: { readonly sessionUpdate: string }): ShownSubagentUpdate | undefined {
  const { sessionUpdate: kind } = update;
  switch (kind) {
    case 'tool_call':
    case 'tool_call_update': {
      const call = sessionUpdates[kind].safeParse(update).data;
      return call && { kind: 'call', call };
    }
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      const chunk = sessionUpdates[kind].safeParse(update).data;
      if (!chunk) return undefined;
      const isThought = kind === 'agent_thought_chunk';
      const { content, messageId = '' } = chunk;
      return { kind: isThought ? 'thought' : 'message', messageId, content: [content], isWhole: false };
    }
    case 'config_option_update': {
      const changed = sessionUpdates[kind].safeParse(update).data;
      return changed && { kind: 'options', options: changed.configOptions };
    }
    default:
      return sharedSubagentUpdateOf(update);
  }
}

function isKnownUpdateKind(kind: string): kind is SessionUpdateKind {
  return Object.hasOwn(sessionUpdates, kind);
}
