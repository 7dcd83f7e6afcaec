import { BoundedMap } from '../../../base/common/boundedMap';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { ReviewSource } from '../../../changes/common/review/reviewSource';
import type { Chats, ForkAgent } from '../chatPorts';
import type { DraftAttachment } from '../chatView';
import { changesToReview, type ChangedFile } from './changesToReview';
import { parseFindings, type Finding } from './parseFindings';

/** What a reviewing agent has said in a turn. */
interface ReviewerAnswer {
  readonly conversation: string;
  /** Name of the agent. */
  readonly agent: string;
  /** Markdown, which is not trusted. */
  readonly text: string;
}

export interface FindingsOfReviewer {
  readonly agent: string;
  readonly conversation: string;
  readonly findings: readonly Finding[];
}

export interface AgentReviewsDeps {
  readonly chats: Pick<Chats, 'create' | 'delete'>;
  readonly source: Pick<ReviewSource, 'formerPaths' | 'paths' | 'texts'>;
  /** Lets the user choose the agent. Resolves to undefined if the user picks none. */
  readonly pickAgent: () => Promise<ForkAgent | undefined>;
  /** Returns the absolute path. @throws EditorError for a file that is excluded, or outside of the workspace */
  readonly resolve: (path: string) => Promise<string>;
  /** Returns the path in the workspace, with `/`. */
  readonly shownPathOf: (path: string) => string;
  readonly attachText: (title: string, text: string) => DraftAttachment;
  /** Opens a conversation beside the others. */
  readonly openBeside: (sessionId: string) => Promise<unknown>;
  /** Shows findings at their lines. */
  readonly showFindings: (found: FindingsOfReviewer) => Promise<void>;
  readonly notify: (text: string) => void;
}

const maxReviews = 50;

const request = `Review these changes, which another agent has made. Look for mistakes, missing cases, security problems and missing tests; leave out matters of taste. Read other files if you need them, but change nothing. In the attached changes, lines with + are new, lines with - are gone, and the numbers are those of the new files.

End your answer with your findings as a block of JSON: an array with one object for each finding, or an empty one.

\`\`\`json
[{"file": "src/example.ts", "line": 12, "endLine": 14, "text": "What is wrong, and why.", "severity": "error"}]
\`\`\`

\`file\` is a path of the changes, \`line\` and \`endLine\` are new lines of that file, and \`severity\` is error, warning or note.`;

/** Reviews of changes by other agents, each in a conversation of its own that can only read. */
export class AgentReviews {
  private readonly filesByConversation = new BoundedMap<string, readonly ChangedFile[]>({ maxEntries: maxReviews });

  constructor(private readonly deps: AgentReviewsDeps) {}

  /** Lets the user choose an agent, and has it review all changes. @throws Error, BackendError, ChatError */
  async start(): Promise<void> {
    const { attachText, chats, openBeside, pickAgent } = this.deps;
    const changed = await this.changedFiles();
    if (changed.length === 0) throw new Error('There are no agent changes to review.');
    const agent = await pickAgent();
    if (!agent) return;
    const { files, text } = changesToReview(changed);
    const about = `the changes in ${countWithNoun(changed.length, 'file')}`;
    const chat = await chats.create(agent.backendId, { aside: { about } });
    try {
      await openBeside(chat.id);
    } catch (error) {
      await chats.delete(chat.id).catch(() => undefined);
      throw error;
    }
    this.filesByConversation.set(chat.id, files);
    await chat.send({ text: request, attachments: [attachText('Changes to review', text)] });
  }

  /** Shows the findings in an answer of a reviewing agent. Ignores all other answers. */
  async takeAnswer({ agent, conversation, text }: ReviewerAnswer): Promise<void> {
    const files = this.filesByConversation.get(conversation);
    if (!files) return;
    const { findings, unplacedCount } = parseFindings(text, files);
    if (findings.length > 0) await this.deps.showFindings({ agent, conversation, findings });
    const isOne = findings.length === 1;
    const shown = `${countWithNoun(findings.length, 'finding')} of ${agent} ${isOne ? 'stands at its lines' : 'stand at their lines'}.`;
    const left = `${countWithNoun(unplacedCount, 'finding')} without a changed line can be read in its conversation.`;
    const notes = [...(findings.length > 0 ? [shown] : []), ...(unplacedCount > 0 ? [left] : [])];
    if (notes.length > 0) this.deps.notify(notes.join(' '));
  }

  /** The changed files whose texts are known, without those that agents must not read. */
  private async changedFiles(): Promise<ChangedFile[]> {
    const { resolve, shownPathOf, source } = this.deps;
    const { formerPaths, paths } = source;
    const former = new Set(formerPaths.values());
    const files: ChangedFile[] = [];
    for (const path of paths.filter((one) => !former.has(one))) {
      const isReadable = await resolve(path).then(
        () => true,
        () => false,
      );
      if (!isReadable) continue;
      const { baseline, text } = await source.texts(path);
      const renamedFrom = formerPaths.get(path);
      const before = renamedFrom === undefined ? baseline : (await source.texts(renamedFrom)).baseline;
      if (before === undefined || text === undefined) continue;
      files.push({ path, shownPath: shownPathOf(path), before, after: text });
    }
    return files;
  }
}
