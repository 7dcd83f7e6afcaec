import type { FileTextId } from '../changes/fileTexts';
import type { AuthorStep, AuthorTurn } from './authorSteps';
import { LineAuthorChain, type LineAuthors } from './lineAuthors';

/** Returns a stored text of a conversation. Undefined if it is missing or damaged. */
type ReadText = (conversation: string, id: string) => Promise<string | undefined>;

/** Who wrote the lines of one file. Reads each text of its steps once. */
export class FileAuthors {
  private readonly chain = new LineAuthorChain<AuthorTurn>();
  /** The steps as they were when they were applied: later records can add to them. */
  private readonly applied: AuthorStep[] = [];
  private steps: readonly AuthorStep[] = [];
  /** Id of the text that the file had last. */
  private current: FileTextId;

  /** Whether these steps continue those that were applied. If not, begin anew. */
  canContinueWith(steps: readonly AuthorStep[]): boolean {
    return this.applied.every(({ isByCommand, renamedFrom }, index) => {
      const step = steps[index];
      return step === this.steps[index] && step?.isByCommand === isByCommand && step?.renamedFrom === renamedFrom;
    });
  }

  /** Applies what was not applied yet. Does nothing for long between two reads. */
  async applyAll(steps: readonly AuthorStep[], read: ReadText): Promise<void> {
    this.steps = steps;
    for (const step of steps.slice(this.applied.length)) {
      this.applied.push({ ...step });
      await this.apply(step, read);
    }
  }

  /** Returns who wrote the lines of the text that an editor has. */
  authorsOf(text: string): LineAuthors<AuthorTurn> {
    return this.chain.authorsOf(text);
  }

  private async apply(step: AuthorStep, read: ReadText): Promise<void> {
    const { found, isByCommand = false, isDoubtful = false, kind, left, renamedFrom, turn } = step;
    const textOf = async (id: FileTextId): Promise<string | undefined> =>
      typeof id === 'string' ? await read(turn.conversation, id) : id === null ? '' : undefined;
    // A file that was moved begins with the text that it had elsewhere, if that is known.
    const previous = this.applied.at(-2);
    const isMoved = renamedFrom !== undefined && typeof this.current === 'string';
    const isMoveKnown =
      isMoved && ((previous?.turn === turn && previous.left === previous.found) || left === this.current);
    let isFoundKnown = isMoveKnown || (renamedFrom === undefined && found !== undefined && found === this.current);
    if (!isFoundKnown && renamedFrom === undefined) {
      const before = await textOf(found);
      if (before !== undefined) this.chain.observe(before);
      isFoundKnown = before !== undefined;
    }
    const after = await textOf(left);
    this.current = after === undefined ? undefined : left;
    if (kind === 'undo' && isFoundKnown && after !== undefined) this.chain.undo(after);
    else if (after !== undefined && kind === 'write' && isFoundKnown)
      this.chain.write(after, { turn, isByCommand, isDoubtful });
    else if (after !== undefined) this.chain.observe(after);
  }
}
