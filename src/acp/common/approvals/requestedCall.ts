import { toVisibleText } from '../../../base/common/text/visibleText';
import { commandOfInput } from '../../../permissions/common/requests/toolInput';
import type { CallDescription } from '../session/toolCalls';
import type { PermissionRequest } from '../session/agentMessages';
import type { SessionEventMapper } from '../session/sessionEventMapper';

/** The subject of a permission request. */
export interface RequestedCall extends CallDescription {
  /** Id of the tool call that waits for permission. Undefined if the request contains none. */
  readonly id: string | undefined;
  /** The command in the tool call of a request that carries another command of its own. */
  readonly otherCommand?: string;
}

type CallSource = Pick<SessionEventMapper, 'describeCall' | 'entryIdOf' | 'hasToolCall'>;

/** Describes what is requested. Returns undefined for an unknown tool call. */
export function requestedCallOf(
  { description, subject, title }: PermissionRequest,
  mapper: CallSource,
): RequestedCall | undefined {
  const call = describeSubject(subject, mapper);
  if (!call) return undefined;
  const explained = description === undefined ? [] : [{ type: 'content', content: textBlock(description) } as const];
  return { ...call, title: title ?? call.title, content: [...explained, ...call.content] };
}

/** Reasons why a request may show less, or something else, than what it is about. */
export function doubtsAbout({ unreadMembers }: PermissionRequest, { otherCommand }: RequestedCall): string[] {
  const unread = `Backline can’t read parts of this request, so they are not shown: ${unreadMembers.join(', ')}.`;
  return [
    ...(unreadMembers.length > 0 ? [unread] : []),
    ...(otherCommand === undefined
      ? []
      : [`The tool call of this request has another command: ${toVisibleText(otherCommand)}`]),
  ];
}

function describeSubject(subject: PermissionRequest['subject'], mapper: CallSource): RequestedCall | undefined {
  const nothing = { name: undefined, title: undefined, content: [], locations: [] };
  switch (subject.kind) {
    case 'toolCall': {
      const { toolCallId: id } = subject.toolCall;
      const call = mapper.describeCall(id);
      return call && { ...call, id: mapper.entryIdOf(id) };
    }
    case 'command': {
      const { command, cwd, members, toolCallId } = subject;
      const id = toolCallId !== undefined && mapper.hasToolCall(toolCallId) ? mapper.entryIdOf(toolCallId) : undefined;
      const rawInput = { ...members, command, cwd };
      const otherCommand = commandOfInput(
        toolCallId === undefined ? undefined : mapper.describeCall(toolCallId)?.rawInput,
      );
      return {
        ...nothing,
        id,
        kind: 'execute',
        rawInput,
        ...(otherCommand === undefined || otherCommand === commandOfInput(rawInput) ? {} : { otherCommand }),
      };
    }
    case 'other':
      return { ...nothing, id: undefined, kind: 'other', rawInput: { ...subject.members } };
  }
}

const textBlock = (text: string) => ({ type: 'text', text }) as const;
