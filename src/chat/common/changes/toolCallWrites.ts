import type { EventData, SessionEvent } from '../../../session/common/sessionEvents';
import type { KeyedQueue } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { isRecord } from '../../../base/common/isRecord';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { ChangeLedger } from './changeLedger';
import type { FileTexts, TextId } from './fileTexts';
import { hasWritten, looksMade, touchedFiles, type TouchedFile } from './touchedFiles';

interface ToolCallWritesPorts {
  readonly editor: Pick<EditorPort, 'resolve'>;
  readonly texts: FileTexts;
  readonly ledger: ChangeLedger;
  /** Keyed by path. */
  readonly queue: KeyedQueue;
  readonly log: Logger;
}

interface Call {
  kind: string;
  state: 'running' | 'waiting' | 'denied' | 'done' | 'failed';
  approval: string | undefined;
  readonly touches: Map<string, Touch>;
}

interface Touch {
  /** Text before the call. Undefined if the call may have changed the file before it was read. */
  base: TextId;
  /** Others may have changed the file in the meantime. */
  isDoubtful: boolean;
  file: TouchedFile;
}

/**
 * Detects writes by tool calls that bypass the editor port: reads a call's files when it is announced, and again when it has
 * ended. A failed or denied call is assumed to have changed nothing.
 */
export class ToolCallWrites {
  private calls = new Map<string, Call>();
  /** Paths written through the editor port in this turn. What tool calls report about them is ignored. */
  private readonly seen = new Set<string>();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly ports: ToolCallWritesPorts) {}

  observe(event: SessionEvent): void {
    switch (event.event) {
      case 'tool:pre':
        this.touches(event.data);
        break;
      case 'tool:update':
        if (event.data.result) this.ended(event.data, event.data.result.success);
        else this.touches(event.data);
        break;
      case 'tool:post':
        this.ended(event.data, event.data.result.success);
        break;
      case 'tool:error':
        // An unfinished call may have written.
        if (!event.data.unfinished) this.ended(event.data, false);
        break;
      case 'approval:required':
        this.asked(event.data);
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.answered(event.data.approval_id, event.event === 'approval:granted');
        break;
      default:
    }
  }

  /** Call when a file was written through the editor port. */
  writtenByEditor(path: string): void {
    this.seen.add(path);
    for (const { touches } of this.calls.values()) touches.delete(path);
  }

  /** Sets the text of a file that was changed by something other than a call. */
  rebase(path: string, base: TextId): void {
    for (const { touches } of this.calls.values()) {
      const touch = touches.get(path);
      if (touch) touch.base = base;
    }
  }

  /** Reads the files of the waiting call again, right before it may run. Never rejects. */
  async beforeAnswer(approval: string): Promise<void> {
    await this.idle();
    for (const call of this.calls.values()) {
      if (call.state !== 'waiting' || call.approval !== approval) continue;
      call.state = 'running';
      const { texts } = this.ports;
      for (const [path, touch] of call.touches) {
        if (touch.base !== undefined) touch.base = await texts.keep(await texts.read(path));
      }
    }
  }

  /** Records changes of completed calls that weren't visible on disk at their end. Call within the queue of the path. */
  async settle(path: string): Promise<void> {
    for (const { state, touches } of this.calls.values()) {
      const touch = touches.get(path);
      if (touch && state === 'done' && (await this.noteLate(path, touch))) touches.delete(path);
    }
  }

  /** Never rejects. */
  async endTurn(): Promise<void> {
    const { calls } = this;
    this.calls = new Map();
    await this.idle();
    for (const { state, touches } of calls.values()) {
      if (state !== 'running' && state !== 'done') continue;
      for (const [path, touch] of touches) {
        if (!this.ports.ledger.hasTurnWritten(path)) await this.noteLate(path, touch);
      }
    }
    this.seen.clear();
  }

  private async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  /** Starts watching the files that the call may change. */
  private touches(data: EventData<'tool:pre' | 'tool:update'>): void {
    const call = this.callOf(data);
    this.touch(call, touchedFiles(call.kind, data));
  }

  private touch(call: Call, files: readonly TouchedFile[]): void {
    for (const file of files) this.run(file.path, (path) => this.begin(call, path, file));
  }

  /** Marks the call as waiting: it does nothing before its approval is answered. */
  private asked({ approval_id: approval, call_id, context = {} }: EventData<'approval:required'>): void {
    const call = this.callOf({ call_id: call_id ?? `approval ${approval}` });
    const { input, kind, paths } = context;
    if (typeof kind === 'string') {
      const locations = (Array.isArray(paths) ? paths : []).flatMap((path) =>
        typeof path === 'string' ? [{ path }] : [],
      );
      this.touch(call, touchedFiles(kind, { locations }));
      if (isRecord(input)) this.touch(call, touchedFiles(kind, { input }));
    }
    call.state = 'waiting';
    call.approval = approval;
  }

  private ended(data: EventData<'tool:post' | 'tool:error' | 'tool:update'>, isDone: boolean): void {
    const call = this.callOf(data);
    call.state = isDone ? 'done' : 'failed';
    if (isDone) this.done(call, touchedFiles(call.kind, { content: data.content, locations: data.locations }));
    else call.touches.clear();
  }

  private callOf({ call_id: id = '', kind }: Pick<EventData<'tool:pre'>, 'call_id' | 'kind'>): Call {
    const call = this.calls.get(id) ?? { kind: 'other', state: 'running', approval: undefined, touches: new Map() };
    this.calls.set(id, call);
    call.kind = kind ?? call.kind;
    return call;
  }

  /** Handles an answer. If the call still waits here, another client has answered, and the call may have begun already. */
  private answered(approval: string, isGranted: boolean): void {
    for (const call of this.calls.values()) {
      if (call.approval !== approval || (call.state !== 'waiting' && call.state !== 'running')) continue;
      if (!isGranted) {
        call.state = 'denied';
      } else if (call.state === 'waiting') {
        call.state = 'running';
        for (const [name, touch] of call.touches) this.run(name, (path) => this.doubtIfChanged(path, touch));
      }
    }
  }

  private async doubtIfChanged(path: string, touch: Touch): Promise<void> {
    if ((await this.ports.texts.read(path)).id !== touch.base) touch.isDoubtful = true;
  }

  private async begin(call: Call, path: string, file: TouchedFile): Promise<void> {
    if (this.seen.has(path)) return;
    const known = call.touches.get(path);
    if (known) {
      known.file = { ...known.file, ...file };
      return;
    }
    // Reported after the end of the call, so the earlier text is unknown.
    if (call.state === 'failed') return;
    await this.settle(path);
    const now = await this.ports.texts.read(path);
    const isLate = call.state === 'done' || now.text === undefined || looksMade(now.text, file);
    call.touches.set(path, { base: isLate ? undefined : now.id, isDoubtful: false, file });
    if (!isLate) await this.ports.texts.keep(now);
  }

  private done(call: Call, files: readonly TouchedFile[]): void {
    this.touch(call, files);
    const ending = this.idle().then(async () => {
      for (const [path, touch] of call.touches) {
        await this.ports.queue.run(path, async () => {
          if (await this.note(path, touch)) call.touches.delete(path);
        });
      }
    });
    this.follow(ending);
  }

  private async note(path: string, touch: Touch): Promise<boolean> {
    const { ledger, texts } = this.ports;
    const now = await texts.read(path);
    const isUnseen = touch.base === now.id && looksMade(now.text ?? null, touch.file);
    return await ledger.note({
      path,
      base: isUnseen ? undefined : touch.base,
      // Agents write to disk, so unsaved changes are the user's.
      isSure: ({ isDirty, text }) => !touch.isDoubtful && !isDirty && hasWritten(text ?? null, touch.file) !== false,
    });
  }

  /** As `note`, for changes found later: the agent's if the file contains what the call reported. */
  private async noteLate(path: string, touch: Touch): Promise<boolean> {
    return await this.ports.ledger.note({
      path,
      base: touch.base,
      isSure: ({ isDirty, text }) => !touch.isDoubtful && !isDirty && hasWritten(text ?? null, touch.file) === true,
    });
  }

  private run(requested: string, task: (path: string) => Promise<void>): void {
    const { editor, queue } = this.ports;
    this.follow(editor.resolve(requested).then((path) => queue.run(path, () => task(path))));
  }

  private follow(work: Promise<void>): void {
    const { log } = this.ports;
    const settled = work
      .catch((error: unknown) => log.debug(`Cannot track a file that an agent writes: ${messageOf(error)}`))
      .finally(() => this.running.delete(settled));
    this.running.add(settled);
  }
}
