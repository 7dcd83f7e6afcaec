import { endOfText } from '../../../base/common/text/endOfText';
import type { TextRole } from '../../../session/common/sessionEvents';
import type { AgentOption, SubagentAnnouncement } from '../session/agentMessages';
import type { ToolCallContent } from '../session/wireSchema';
import type { SessionMessage } from './subagentMessages';

/** Limits for the texts of a subagent while it works, in UTF-16 units, because every event contains the whole text. */
const maxTextLength = 32 * 1024;
const maxTexts = 200;
const maxMessages = 50;
/** Maximum lengths of what is shown as the type of a subagent, and of a task that its title shows whole, in UTF-16 units. */
const maxTypeLength = 60;
const maxTitleLength = 100;
/** Length of the beginning by which two long texts are compared, in UTF-16 units. */
const minComparedLength = 4 * 1024;

/** What Claude tells its model when a subagent begins to work in the background. It says itself that users need not see it. */
const launchReceipt = /^Async agent launched successfully\b/;

/** What a subagent is, what it was told, and what it has said: the content of the call that shows it. */
export class SubagentWords {
  private title: string | undefined;
  private description: string | undefined;
  private options: readonly AgentOption[] = [];
  private usedTokens: number | undefined;
  /** The ends of its own messages, by their ids. */
  private readonly texts = new Map<string, string>();
  /** The first one is its task, which is never dropped. */
  private readonly toIt: SessionMessage[] = [];
  private readonly fromIt: SessionMessage[] = [];

  /** Whether its last message is its report, if it has sent none: because it has ended. */
  hasEnded = false;

  describe({ title, description }: Pick<SubagentAnnouncement, 'title' | 'description'>): void {
    if (title !== undefined) this.title = title ?? undefined;
    if (description !== undefined) this.description = description ?? undefined;
  }

  setOptions(options: readonly AgentOption[]): void {
    this.options = options;
  }

  setUsage(usedTokens: number): void {
    this.usedTokens = usedTokens;
  }

  addText(messageId: string, text: string, isWhole: boolean): void {
    const whole = isWhole ? text : `${this.texts.get(messageId) ?? ''}${text}`;
    this.texts.set(messageId, endOfText(whole, maxTextLength));
    this.dropOldTexts();
  }

  /** Adds or changes a message to the subagent, or from it to another session. */
  putMessage(message: SessionMessage, direction: 'to' | 'from'): void {
    const messages = direction === 'to' ? this.toIt : this.fromIt;
    if (messages.includes(message)) return;
    messages.push(message);
    if (messages.length > maxMessages) messages.splice(direction === 'to' ? 1 : 0, 1);
  }

  /** The title of the call. Without one, the beginning of the task. */
  get shownTitle(): string {
    const task = (this.title ?? this.task ?? '').trim().split('\n', 1)[0] ?? '';
    return task === '' ? 'Subagent' : task;
  }

  /** In reading order: facts, the task, later messages to it, its own words, and its reports. */
  get content(): ToolCallContent[] {
    const { task } = this;
    const told = textsOf(this.toIt);
    const sent = textsOf(this.fromIt).filter((text) => !launchReceipt.test(text));
    const own = [...this.texts.values()].filter((text) => text.trim() !== '' && !sent.some((one) => isSame(one, text)));
    const last = this.hasEnded && sent.length === 0 ? own.splice(-1) : [];
    // All of it is in each event, so that what is said less often has to fit beside what matters more.
    const room = { units: maxTextLength };
    const reports = newest([...sent, ...last], room);
    const words = newest(own, room);
    const messages = newest(told.slice(told[0] === task?.trim() ? 1 : 0), room);
    return [
      ...this.wordsOf('about', this.about),
      ...(task === undefined || this.isTitle(task) ? [] : this.wordsOf('task', task)),
      ...messages.flatMap((text) => this.wordsOf('message', text)),
      ...words.map((text) => ({ type: 'content' as const, content: { type: 'text' as const, text } })),
      ...reports.flatMap((text) => this.wordsOf('report', text)),
    ];
  }

  /** Claude describes a subagent by its type, which is one word, and Codex by its task. */
  private get type(): string | undefined {
    const { description, title } = this;
    const isType = title !== undefined && description !== undefined && /^\S+$/.test(description);
    return isType && description.length <= maxTypeLength ? description : undefined;
  }

  private get task(): string | undefined {
    return (this.type === undefined ? this.description : undefined) ?? textsOf(this.toIt)[0];
  }

  private isTitle(task: string): boolean {
    return task.length <= maxTitleLength && task.trim() === this.shownTitle;
  }

  private get about(): string {
    const effort = this.valueOf('thought_level');
    const tokens = this.usedTokens ?? 0;
    return [
      this.type,
      this.valueOf('model'),
      effort === undefined ? undefined : `Effort: ${effort}`,
      tokens === 0 ? undefined : `${tokens.toLocaleString('en')} tokens`,
    ]
      .filter((fact) => fact !== undefined)
      .join(' · ');
  }

  /** The name of the value that the option of this category has. */
  private valueOf(category: string): string | undefined {
    const found = this.options.find((option) => option.type === 'select' && option.category === category);
    if (found?.type !== 'select') return undefined;
    const choices = found.options.flatMap((entry) => ('options' in entry ? entry.options : [entry]));
    return choices.find(({ value }) => value === found.currentValue)?.name ?? found.currentValue;
  }

  private wordsOf(role: TextRole, text: string): ToolCallContent[] {
    return text.trim() === '' ? [] : [{ type: 'words', role, text }];
  }

  private dropOldTexts(): void {
    let length = 0;
    let count = 0;
    for (const [id, text] of [...this.texts].reverse()) {
      if (length >= maxTextLength || count >= maxTexts) this.texts.delete(id);
      length += text.length;
      count++;
    }
  }
}

function textsOf(messages: readonly SessionMessage[]): string[] {
  return messages.map(({ text }) => text.trim()).filter((text) => text !== '');
}

/** The newest of the texts that fit into the room, which becomes smaller. */
function newest(texts: readonly string[], room: { units: number }): string[] {
  const shown: string[] = [];
  for (const text of [...texts].reverse()) {
    if (room.units <= 0) break;
    shown.unshift(endOfText(text, room.units));
    room.units -= text.length;
  }
  return shown;
}

/** Whether a report is what the subagent has said itself: of a long text, only a part may have been kept. */
function isSame(report: string, text: string): boolean {
  const own = text.trim();
  return report === own || (report.length >= minComparedLength && own.startsWith(report.slice(0, minComparedLength)));
}
