import { endOfText } from '../../../base/common/text/endOfText';
import type { ToolCallPatch } from '../session/agentMessages';

interface Thought {
  readonly callId: string;
  text: string;
  /** Length of the text that was received since the text was last shown. */
  unshownLength: number;
  isOpen: boolean;
}

const maxThoughts = 200;
/** Limits for the text of one thought, in UTF-16 units, because every event contains the whole text. */
const maxTextLength = 16 * 1024;
const maxUnshownLength = 2 * 1024;

/** The thoughts of one subagent. Each is a step of it, between the calls before and after it. */
export class SubagentThoughts {
  private readonly thoughtById = new Map<string, Thought>();
  /** The one to which text without an id belongs. */
  private last: Thought | undefined;
  private count = 0;

  constructor(private readonly subagentCallId: string) {}

  /** Returns the steps that change now. The rest is shown with more text, or by `end`. */
  add(messageId: string, text: string, isWhole: boolean): ToolCallPatch[] {
    const known = messageId === '' ? (this.last?.isOpen ? this.last : undefined) : this.thoughtById.get(messageId);
    const thought = known ?? this.begin(messageId);
    thought.text = endOfText(isWhole ? text : thought.text + text, maxTextLength);
    thought.unshownLength += text.length;
    if (!known) {
      const head = { parentCallId: this.subagentCallId, name: 'thinking', title: 'Thinking' } as const;
      return [{ ...shownTextOf(thought), ...head, kind: 'think', status: 'in_progress' }];
    }
    const isDue = isWhole || !thought.isOpen || thought.unshownLength >= maxUnshownLength;
    return isDue ? [shownTextOf(thought)] : [];
  }

  /** Call when something else follows. Returns the steps that end. */
  end(): ToolCallPatch[] {
    const open = [...this.thoughtById.values()].filter(({ isOpen }) => isOpen);
    return open.map((thought) => {
      thought.isOpen = false;
      const isShown = thought.unshownLength === 0;
      return { toolCallId: thought.callId, status: 'completed', ...(isShown ? {} : shownTextOf(thought)) };
    });
  }

  private begin(messageId: string): Thought {
    const callId = `thought ${++this.count} of ${this.subagentCallId}`;
    const thought = { callId, text: '', unshownLength: 0, isOpen: true };
    this.last = thought;
    this.thoughtById.set(messageId === '' ? callId : messageId, thought);
    const [oldest] = this.thoughtById.keys();
    if (this.thoughtById.size > maxThoughts && oldest !== undefined) this.thoughtById.delete(oldest);
    return thought;
  }
}

function shownTextOf(thought: Thought): ToolCallPatch {
  thought.unshownLength = 0;
  const content = [{ type: 'content' as const, content: { type: 'text' as const, text: thought.text } }];
  return { toolCallId: thought.callId, content };
}
