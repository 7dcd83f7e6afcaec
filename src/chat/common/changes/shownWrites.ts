import type { SessionEvent } from '../../../session/common/sessionEvents';
import { evidenceOf } from '../approvals/approvalEvidence';
import type { DiffTexts } from '../chatPorts';
import type { Text } from './fileTexts';

/** Of places where a replaced text may stand in a file. */
const mostPlaces = 50;

/** The file contents that approvals have shown, until it is known what was written. */
export class ShownWrites {
  /** By the id of the question. */
  private readonly asked = new Map<string, readonly DiffTexts[]>();
  private allowed: readonly DiffTexts[] = [];

  observe(event: SessionEvent): void {
    switch (event.event) {
      case 'approval:required': {
        const { approval_id: id, context = {}, prompt } = event.data;
        this.asked.set(
          id,
          evidenceOf(prompt, context, undefined).diffs.flatMap((diff) => diff ?? []),
        );
        break;
      }
      case 'approval:granted':
        this.allowed = [...this.allowed, ...(this.asked.get(event.data.approval_id) ?? [])];
        this.asked.delete(event.data.approval_id);
        break;
      case 'approval:denied':
        this.asked.delete(event.data.approval_id);
        break;
      default:
    }
  }

  /** Paths as they were shown, of files that are allowed to be written and were not yet. */
  get paths(): readonly string[] {
    return [...new Set(this.allowed.map(({ path }) => path))];
  }

  /**
   * The file that was shown by that path was written. Whether that is what was shown, or as much of it as one write may be; what
   * was shown of it counts once. True where nothing can be said.
   */
  isAsShown(path: string, before: Text, after: Text): boolean {
    const shown = this.allowed.filter((diff) => diff.path === path);
    if (shown.length === 0 || before === undefined || after === undefined) {
      this.forget(shown);
      return true;
    }
    let states: readonly string[] = [before ?? ''];
    for (const [index, diff] of shown.entries()) {
      states = states.flatMap((state) => applied(state, diff)).slice(0, mostPlaces);
      if (!states.some((state) => isSame(state, after ?? ''))) continue;
      this.forget(shown.slice(0, index + 1));
      return true;
    }
    this.forget(shown);
    return false;
  }

  endTurn(): void {
    this.asked.clear();
    this.allowed = [];
  }

  private forget(diffs: readonly DiffTexts[]): void {
    this.allowed = this.allowed.filter((diff) => !diffs.includes(diff));
  }
}

/** What a text may become: some agents show a whole file, some only the piece that they replace, here or everywhere. */
function applied(text: string, { after, before }: DiffTexts): string[] {
  if (before === null || isSame(text, before)) return [after];
  if (before === '') return [];
  const [file, piece, other] = [text, before, after].map(withPlainLines);
  if (file === undefined || piece === undefined || other === undefined) return [];
  const results = [file.replaceAll(piece, () => other)];
  for (let at = file.indexOf(piece); at >= 0 && results.length < mostPlaces; at = file.indexOf(piece, at + 1)) {
    results.push(file.slice(0, at) + other + file.slice(at + piece.length));
  }
  return file.includes(piece) ? results : [];
}

/** Editors may end files and lines in their own way. */
function isSame(one: string, other: string): boolean {
  return withPlainLines(one).trimEnd() === withPlainLines(other).trimEnd();
}

function withPlainLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
