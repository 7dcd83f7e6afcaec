import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { EditorError, type EditorPort } from '../../editor/common/editorPort';
import type { ProtectedChangeError } from '../../editor/common/guardedEditor';
import { withLineEnding } from '../../editor/common/text/lineEndings';
import {
  canAsk,
  findRefusedEdit,
  reduceRefusedEdits,
  type EditAnswer,
  type RefusedEdit,
  type RefusedEditEvent,
  type RefusedEdits,
} from './refusedEdits';

interface ProtectedEditPorts {
  readonly editor: Pick<EditorPort, 'readBytes'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Shows the change to the user. Resolves with undefined if the user closes the question. */
  readonly ask: (edit: RefusedEdit) => Promise<EditAnswer | undefined>;
  /** Reports that the file on disk has the refused text. */
  readonly tellWritten: (edit: RefusedEdit) => unknown;
}

/** Permission of the user for one edit. */
export type EditGrant = Pick<RefusedEdit, 'id' | 'after'>;

/** Delays between checks of the file on disk after a refusal. A client that writes the file itself does so soon. */
const lookDelaysMs = [200, 400, 800, 1_600, 3_200, 6_400];

/** Refuses edits of protected files and asks the user, so that a later attempt can succeed. Dispose it. */
export class ProtectedEditDesk implements Disposable {
  private edits: RefusedEdits = [];
  private lastId = 0;
  private readonly looks = new Map<number, Disposable>();
  private isDisposed = false;

  constructor(private readonly ports: ProtectedEditPorts) {}

  /** Returns the user's grant for an edit, or asks for it once. @throws EditorError `protected` with advice */
  grantOf({ requested, path, reason, change: { after } }: ProtectedChangeError): EditGrant {
    const now = this.ports.clock.monotonicNow();
    const known = findRefusedEdit(this.edits, { path, after }, now);
    if (known?.kind === 'allowed') return known;
    const why = `${requested} is protected: ${reason}.`;
    if (known) this.look(known);
    if (known?.kind === 'denied') {
      throw new EditorError('protected', `${why} The user has denied this change. Do not make it in another way.`);
    }
    if (!known && !this.ask({ id: ++this.lastId, path, reason, after })) {
      throw new EditorError('protected', `${why} The user is being asked about other changes. Try again after those.`);
    }
    throw new EditorError('protected', `${why} The user is being asked in VS Code; try again once it is allowed.`);
  }

  /** Records that the edit was made. The next edit needs a new grant. */
  made({ id }: EditGrant): void {
    this.apply({ kind: 'made', id });
  }

  dispose(): void {
    this.isDisposed = true;
    for (const look of this.looks.values()) look.dispose();
    this.looks.clear();
    this.edits = [];
  }

  /** Returns whether the user could be asked. */
  private ask(edit: RefusedEdit): boolean {
    const { clock, log } = this.ports;
    if (this.isDisposed || !canAsk(this.edits, edit)) return false;
    this.apply({ kind: 'refused', edit, now: clock.monotonicNow() });
    this.look(edit);
    const answered = (answer: EditAnswer | undefined): void => {
      this.apply({ kind: 'answered', id: edit.id, answer, now: clock.monotonicNow() });
    };
    this.ports.ask(edit).then(answered, (error: unknown) => {
      log.error('the user could not be asked about a protected file', error);
      answered(undefined);
    });
    return true;
  }

  private apply(event: RefusedEditEvent): void {
    if (!this.isDisposed) this.edits = reduceRefusedEdits(this.edits, event);
  }

  private look(edit: RefusedEdit): void {
    this.lookAfter(edit, 0);
  }

  private lookAfter(edit: RefusedEdit, step: number): void {
    this.looks.get(edit.id)?.dispose();
    this.looks.delete(edit.id);
    const delayMs = lookDelaysMs[step];
    const isRefused = this.edits.some(({ id, kind }) => id === edit.id && (kind === 'asked' || kind === 'denied'));
    if (delayMs === undefined || !isRefused || this.isDisposed) return;
    const timer = this.ports.clock.setTimer(delayMs, () => void this.lookNow(edit, step));
    this.looks.set(edit.id, timer);
  }

  private async lookNow(edit: RefusedEdit, step: number): Promise<void> {
    const timer = this.looks.get(edit.id);
    const isWritten = await this.isOnDisk(edit);
    // A newer refusal of the same edit has started its own checks.
    if (this.looks.get(edit.id) !== timer) return;
    if (!isWritten) {
      this.lookAfter(edit, step + 1);
      return;
    }
    this.looks.delete(edit.id);
    const before = this.edits;
    this.apply({ kind: 'foundOnDisk', id: edit.id });
    if (this.edits.some(({ id, kind }, at) => id === edit.id && kind === 'written' && before[at]?.kind !== 'written')) {
      this.ports.tellWritten(edit);
    }
  }

  /** Ignores line endings and a byte order mark. */
  private async isOnDisk({ path, after }: RefusedEdit): Promise<boolean> {
    // In UTF-8, a UTF-16 unit (with the CR of a line ending) and a byte order mark have at most three bytes each.
    const limit = 3 * after.length + 3;
    const found = await this.ports.editor.readBytes(path, { limit }).catch(() => undefined);
    if (!found || found.size > limit) return false;
    return withLineEnding(new TextDecoder().decode(found.bytes), '\n') === withLineEnding(after, '\n');
  }
}
