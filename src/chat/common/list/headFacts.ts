import { pendingTotals } from '../../../transcript/common/shownChanges';
import type { FileChange } from '../../../transcript/common/entries';
import type { ConversationFiles, ConversationHead } from '../chatStore';

interface HeadFactsDeps {
  readonly file: Pick<ConversationFiles, 'head' | 'isOurs' | 'updateHead'>;
  readonly journal: { readonly changes: readonly FileChange[] };
  readonly cost: () => ConversationHead['cost'];
  /** Returns the branch of the repository of a folder (absolute path). Never rejects. */
  readonly branchOf: (folder: string) => Promise<string | undefined>;
  /** Returns the absolute path of the folder in which the agent works. */
  readonly folder: () => string | undefined;
}

/** Keeps in the head of a conversation what the list shows of its work. Only the window that writes it does. */
export class HeadFacts {
  constructor(private readonly deps: HeadFactsDeps) {}

  /** Call when changed files or the cost may have changed. */
  update(): void {
    const { cost, journal } = this.deps;
    this.write({ changes: pendingTotals(journal.changes), cost: cost() });
  }

  /** Call when a turn begins or ends. Never rejects. */
  async updateBranch(): Promise<void> {
    const { branchOf, file, folder } = this.deps;
    const path = file.isOurs ? folder() : undefined;
    if (path !== undefined) this.write({ branch: await branchOf(path) });
  }

  private write(facts: Pick<ConversationHead, 'changes' | 'cost'> | Pick<ConversationHead, 'branch'>): void {
    const { file } = this.deps;
    if (!file.isOurs) return;
    const { branch, changes, cost } = file.head;
    const before = 'branch' in facts ? { branch } : { changes, cost };
    if (JSON.stringify(before) !== JSON.stringify(facts)) file.updateHead(facts);
  }
}
