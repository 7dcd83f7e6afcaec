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
  /** Shows the user what is to change. Undefined when the user closes the question without an answer. */
  readonly ask: (edit: RefusedEdit) => Promise<EditAnswer | undefined>;
  /** The file on disk has the text that was refused. */
  readonly tellWritten: (edit: RefusedEdit) => unknown;
}

/** The user's word for one edit. */
export type EditGrant = Pick<RefusedEdit, 'id' | 'after'>;

/**
 * When the disk is looked at after a refusal, in milliseconds from the look before: a client that writes the file by itself
 * then does so at once.
 */
const lookDelaysMs = [200, 400, 800, 1_600, 3_200, 6_400];

/**
 * What becomes of edits of protected files. A client waits for at most 2 s, which is too short for a person, so each is
 * refused at once, and the user is asked in the window; once it is allowed, the next try passes. Dispose it.
 */
export class ProtectedEditDesk implements Disposable {
  private edits: RefusedEdits = [];
  private lastId = 0;
  private readonly looks = new Map<number, Disposable>();
  private isDisposed = false;

  constructor(private readonly ports: ProtectedEditPorts) {}

  /**
   * The grant for an edit that the user has allowed; else asks, unless that has been done.
   * @throws EditorError `protected` that says what the client can do
   */
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

  /** The edit was made: the next one needs another grant. */
  made({ id }: EditGrant): void {
    this.apply({ kind: 'made', id });
  }

  dispose(): void {
    this.isDisposed = true;
    for (const look of this.looks.values()) look.dispose();
    this.looks.clear();
    this.edits = [];
  }

  /** Whether the user can be asked. */
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
    // A newer refusal of the same edit looks for itself.
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

  /** Line ends and a byte order mark make no difference. */
  private async isOnDisk({ path, after }: RefusedEdit): Promise<boolean> {
    // A UTF-16 unit has at most three bytes, or two with the CR of its line end.
    const limit = 3 * after.length + 3;
    const found = await this.ports.editor.readBytes(path, { limit }).catch(() => undefined);
    if (!found || found.size > limit) return false;
    return withLineEnding(new TextDecoder().decode(found.bytes), '\n') === withLineEnding(after, '\n');
  }
}
