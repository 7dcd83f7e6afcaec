import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { EditorError, type EditorPort } from '../../editor/common/editorPort';
import type { ProtectedChangeError } from '../../editor/common/protection/changeCheck';
import { convertLineEndings } from '../../editor/common/text/lineEndings';
import {
  isWithinQuestionLimits,
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
  /** Shows the change to the user and asks for approval. Resolves to undefined if the user dismisses the question. */
  readonly askUser: (edit: RefusedEdit) => Promise<EditAnswer | undefined>;
  /** Reports that the file on disk has the refused text, although the edit was not allowed. */
  readonly reportWritten: (edit: RefusedEdit) => unknown;
}

/** The user's permission for one edit. */
export type EditGrant = Pick<RefusedEdit, 'id' | 'after'>;

/** Delays between checks of the file after a refusal. A client that bypasses the editor writes it soon. */
const checkDelaysMs = [200, 400, 800, 1_600, 3_200, 6_400];

/** Refuses edits of protected files and asks the user, so that a later attempt can succeed. The owner disposes it. */
export class ProtectedEditApprovals implements Disposable {
  private refusedEdits: RefusedEdits = [];
  private lastId = 0;
  private readonly writtenCheckTimers = new Map<number, Disposable>();
  private isDisposed = false;

  constructor(private readonly ports: ProtectedEditPorts) {}

  /** Returns the user's permission for an edit, or asks for it once. @throws EditorError `protected` with advice */
  requireGrant({ requestedPath: requested, path, reason, change: { after } }: ProtectedChangeError): EditGrant {
    const now = this.ports.clock.monotonicNow();
    const known = findRefusedEdit(this.refusedEdits, { path, after }, now);
    if (known?.kind === 'allowed') return known;
    const why = `${requested} is protected: ${reason}.`;
    if (known) this.startWrittenChecks(known);
    if (known?.kind === 'denied') {
      throw new EditorError('protected', `${why} The user has denied this change. Do not make it in another way.`);
    }
    if (!known && !this.askUser({ id: ++this.lastId, path, reason, after })) {
      throw new EditorError('protected', `${why} The user is being asked about other changes. Try again after those.`);
    }
    throw new EditorError('protected', `${why} The user is being asked in VS Code; try again once it is allowed.`);
  }

  /** Records that the edit was made. The next edit needs a new permission. */
  consumeGrant({ id }: EditGrant): void {
    this.dispatch({ kind: 'made', id });
  }

  dispose(): void {
    this.isDisposed = true;
    for (const timer of this.writtenCheckTimers.values()) timer.dispose();
    this.writtenCheckTimers.clear();
    this.refusedEdits = [];
  }

  private askUser(edit: RefusedEdit): boolean {
    const { clock, log } = this.ports;
    if (this.isDisposed || !isWithinQuestionLimits(this.refusedEdits, edit)) return false;
    this.dispatch({ kind: 'refused', edit, now: clock.monotonicNow() });
    this.startWrittenChecks(edit);
    const answered = (answer: EditAnswer | undefined): void => {
      this.dispatch({ kind: 'answered', id: edit.id, answer, now: clock.monotonicNow() });
    };
    this.ports.askUser(edit).then(answered, (error: unknown) => {
      log.error('the user could not be asked about a protected file', error);
      answered(undefined);
    });
    return true;
  }

  private dispatch(event: RefusedEditEvent): void {
    if (!this.isDisposed) this.refusedEdits = reduceRefusedEdits(this.refusedEdits, event);
  }

  private startWrittenChecks(edit: RefusedEdit): void {
    this.scheduleWrittenCheck(edit, 0);
  }

  private scheduleWrittenCheck(edit: RefusedEdit, attempt: number): void {
    this.writtenCheckTimers.get(edit.id)?.dispose();
    this.writtenCheckTimers.delete(edit.id);
    const delayMs = checkDelaysMs[attempt];
    const isRefused = this.refusedEdits.some(
      ({ id, kind }) => id === edit.id && (kind === 'asked' || kind === 'denied'),
    );
    if (delayMs === undefined || !isRefused || this.isDisposed) return;
    const timer = this.ports.clock.setTimer(delayMs, () => void this.reportWrittenOrCheckAgain(edit, attempt));
    this.writtenCheckTimers.set(edit.id, timer);
  }

  private async reportWrittenOrCheckAgain(edit: RefusedEdit, attempt: number): Promise<void> {
    const timer = this.writtenCheckTimers.get(edit.id);
    const isWritten = await this.isOnDisk(edit);
    // A later refusal of the same edit has started its own checks.
    if (this.writtenCheckTimers.get(edit.id) !== timer) return;
    if (!isWritten) {
      this.scheduleWrittenCheck(edit, attempt + 1);
      return;
    }
    this.writtenCheckTimers.delete(edit.id);
    const before = this.refusedEdits;
    this.dispatch({ kind: 'foundOnDisk', id: edit.id });
    if (
      this.refusedEdits.some(
        ({ id, kind }, at) => id === edit.id && kind === 'written' && before[at]?.kind !== 'written',
      )
    ) {
      this.ports.reportWritten(edit);
    }
  }

  /** Whether the file on disk has the text of the edit. Ignores line endings and a byte order mark. */
  private async isOnDisk({ path, after }: RefusedEdit): Promise<boolean> {
    // Maximum size of the file in UTF-8: a UTF-16 unit (with the CR of a line ending) and a byte order mark have at
    // most three bytes each.
    const limit = 3 * after.length + 3;
    const found = await this.ports.editor.readBytes(path, { limit }).catch(() => undefined);
    if (!found || found.fileSize > limit) return false;
    return convertLineEndings(new TextDecoder().decode(found.bytes), '\n') === convertLineEndings(after, '\n');
  }
}
