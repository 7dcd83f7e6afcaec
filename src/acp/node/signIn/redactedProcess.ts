import { isRecord } from '../../../base/common/isRecord';
import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import type { MessageStream } from '../../../wire/common/messageStream';
import { Emitter } from '../../../base/common/event';
import type { AgentExit } from '../process/agentProcess';
import type { RunningAgent } from '../connection/agentConnection';

/** Removes secrets from all output of an agent. Owns `process`. */
export function redactedProcess(
  process: RunningAgent,
  redactor: SecretRedactor,
  onListenerError: (error: unknown) => void,
): RunningAgent {
  const exits = new Emitter<AgentExit>(onListenerError);
  const redact = (text: string): string => redactor.redactText(text);
  process.onDidExit((exit) => exits.fire({ ...exit, stderrTail: redact(exit.stderrTail) }));
  return {
    stream: redactedStream(process.stream, redactor),
    onDidExit: exits.event,
    stderrTail: () => redact(process.stderrTail()),
    stop: () => process.stop(),
    killNow: () => process.killNow(),
  };
}

/** Text that an agent writes to a file belongs to the user, so it stays unchanged. */
const untouchedMethods: ReadonlySet<unknown> = new Set(['fs/write_text_file', 'writeTextFile']);

const listMethod = 'providers/list';
/**
 * Members of the answer to `providers/list` that stay unchanged, because they are compared and sent back. A key can be an
 * ordinary word, such as the name of a provider.
 */
const untouchedListMembers: ReadonlySet<string> = new Set(['providerId', 'supported', 'apiType']);

function redactedStream(stream: MessageStream, redactor: SecretRedactor): MessageStream {
  const listRequestIds = new Set<unknown>();
  const redacted = (message: Record<string, unknown>): Record<string, unknown> => {
    if (untouchedMethods.has(message['method'])) return message;
    const isList = !('method' in message) && listRequestIds.delete(message['id']);
    return redactor.redactRecord(message, isList ? untouchedListMembers : undefined);
  };
  return {
    onMessage: (listener) => stream.onMessage((message) => listener(redacted(message))),
    onNoise: (listener) =>
      stream.onNoise((noise) => listener({ ...noise, excerpt: redactor.redactText(noise.excerpt) })),
    onDidClose: stream.onDidClose,
    send: (message) => {
      if (isRecord(message) && message['method'] === listMethod) listRequestIds.add(message['id']);
      return stream.send(message);
    },
    dispose: () => stream.dispose(),
  };
}
