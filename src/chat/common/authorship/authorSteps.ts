import { clip } from '../../../base/common/text/clip';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { FileTextId } from '../changes/fileTexts';
import type { LogRecord, RecordOf } from '../conversation/logRecord';
import { chosenModel, type TurnOrigin } from './turnOrigin';

/** A turn of a stored conversation that has changed files. */
export interface AuthorTurn extends TurnOrigin {
  readonly conversation: string;
  /** Its number in the conversation, from 1. */
  turn: number;
  /** Id of the prompt with which the turn began. Undefined for an unprompted turn. */
  prompt: string | undefined;
  /** The first line of that prompt. Untrusted text. */
  promptLine: string;
  /** When it began, in milliseconds since the epoch. */
  startedAt: number;
}

/**
 * What happened to the text of a file at one moment:
 * - `write`: the agent wrote it. `isByCommand`: a command of the turn did, or another program at that time. `isDoubtful`: others may
 *   have written at the same time.
 * - `undo`: an undo left this text, which is undefined if unknown. What a restore has left is not known, and is found by its text.
 *
 * Ids have the meaning of `FileTextId`.
 */
export interface AuthorStep {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'write' | 'undo';
  readonly path: string;
  readonly turn: AuthorTurn;
  readonly found: FileTextId;
  readonly left: FileTextId;
  isByCommand?: boolean;
  readonly isDoubtful?: boolean;
  /** The path that a turn has given up for this new one. */
  renamedFrom?: string;
  /** Whether the record was copied from another conversation. */
  isCopy?: boolean;
}

/** Finds the steps in the records of one conversation. Give it the records in the order of the log; they can come in parts. */
export class AuthorStepReader {
  /** In the order of the log. */
  readonly steps: AuthorStep[] = [];
  private turn: AuthorTurn;
  /** A turn whose prompt is recorded, but not sent: until then, changes of the turn before can be recorded. */
  private nextTurn: AuthorTurn | undefined;
  private hasEnded = false;
  /** Its last changes can be recorded later. */
  private lastEnded: AuthorTurn | undefined;
  /** The text that the records say the agent has left, as `ChangeLedger` knows it. */
  private readonly leftByPath = new Map<string, FileTextId>();
  private readonly snapshotByPath = new Map<string, FileTextId>();
  private readonly mixedPaths = new Set<string>();
  /** First step of each file that belongs to the turn. */
  private turnSteps = new Map<string, AuthorStep>();
  private model: TurnOrigin['model'];

  constructor(private readonly conversation: string) {
    this.turn = { conversation, turn: 0, prompt: undefined, promptLine: '', startedAt: 0 };
  }

  read(record: LogRecord): void {
    switch (record.type) {
      case 'prompt':
        this.addPrompt(record.at, record.id, record.text);
        break;
      case 'snapshot':
        this.leftByPath.delete(record.path);
        this.snapshotByPath.set(record.path, record.text);
        break;
      case 'written':
        this.readWrite(record);
        break;
      case 'attributed':
        this.markCommand(record.path);
        break;
      case 'stateChanged':
        if (record.renamedFrom !== undefined) this.markRename(record.path, record.renamedFrom);
        break;
      case 'checkpoint':
        if (record.folders.length > 0 && record.prompt === undefined) this.beginNextTurn();
        break;
      case 'changed':
        this.endTurn(record);
        break;
      case 'event':
        this.readEvent(record.event);
        break;
      case 'forked':
        for (const step of this.steps) step.isCopy = true;
        break;
      default:
        this.readDecision(record);
    }
  }

  private addPrompt(at: number, prompt: string, text: string): void {
    this.nextTurn = this.createTurn(at, prompt, firstLine(text));
  }

  private createTurn(startedAt: number, prompt: string | undefined, promptLine: string): AuthorTurn {
    const { conversation, model, turn } = this;
    return { conversation, turn: turn.turn + 1, prompt, promptLine, startedAt, ...(model && { model }) };
  }

  private beginNextTurn(): void {
    const { nextTurn } = this;
    this.nextTurn = undefined;
    if (nextTurn) this.setTurn(nextTurn);
  }

  private setTurn(turn: AuthorTurn): void {
    this.turn = turn;
    this.turnSteps = new Map();
    this.hasEnded = false;
  }

  private readEvent(event: SessionEvent): void {
    if (event.event === 'prompt:submit') this.beginNextTurn();
    if (event.event === 'config:update') this.model = chosenModel(event.data.options) ?? this.model;
  }

  private readWrite(record: RecordOf<'written'>): void {
    const { after: left, at, base, isDoubtful = false, isMixed = false, path } = record;
    const isNewlyMixed = isMixed && base === undefined && !this.mixedPaths.has(path);
    if (isMixed) this.mixedPaths.add(path);
    const previous = this.leftByPath.has(path) ? this.leftByPath.get(path) : this.snapshotByPath.get(path);
    const found = base === undefined ? previous : base;
    // The agent does something by itself.
    if (this.hasEnded || this.turn.turn === 0) this.setTurn(this.createTurn(at, undefined, ''));
    const step: AuthorStep = {
      ...{ at, kind: 'write', path, turn: this.turn, found, left },
      ...((isDoubtful || isNewlyMixed) && { isDoubtful: true }),
    };
    this.steps.push(step);
    if (!this.turnSteps.has(path)) this.turnSteps.set(path, step);
    this.leftByPath.set(path, left);
  }

  /** The record comes after the write that it is about. */
  private markCommand(path: string): void {
    const step = this.steps.findLast((one) => one.path === path);
    if (step?.kind === 'write' && step.turn === this.turn) step.isByCommand = true;
  }

  private markRename(path: string, from: string): void {
    const step = this.turnSteps.get(path);
    if (step?.found === null) step.renamedFrom = from;
  }

  private endTurn({ agentVersion, changes, head, model = this.turn.model, turn }: RecordOf<'changed'>): void {
    for (const { path, renamedFrom } of changes) if (renamedFrom !== undefined) this.markRename(path, renamedFrom);
    const { prompt, promptLine, startedAt } = this.lastEnded?.turn === turn ? this.lastEnded : this.turn;
    const origin = withoutUndefined({ agentVersion, head, model });
    Object.assign(this.turn, { turn, prompt, promptLine, startedAt, ...origin });
    this.lastEnded = this.turn;
    this.hasEnded = true;
  }

  /** Reads what the user has decided about changes, as `ChangeLedger` does. */
  private readDecision(record: LogRecord): void {
    switch (record.type) {
      case 'rebased':
        this.leftByPath.set(record.path, record.after);
        break;
      case 'fileDecided':
        this.forget(record.path);
        if (record.decision === 'reverted') this.addUndo(record.at, record.path, record.found, record.left);
        break;
      case 'hunkUndone':
        this.addUndo(record.at, record.path, record.found, record.after);
        break;
      case 'turnReverted':
        if (this.leftByPath.has(record.path)) this.leftByPath.set(record.path, record.after);
        this.addUndo(record.at, record.path, record.found, record.after);
        break;
      case 'changesReplaced':
        for (const { change, path } of record.files) {
          this.forget(path);
          if (change) this.leftByPath.set(path, change.after);
        }
        break;
      case 'undoDone':
        for (const { path, text } of record.texts) this.addUndo(record.at, path, undefined, text);
        break;
      default:
    }
  }

  private addUndo(at: number, path: string, found: FileTextId, left: FileTextId): void {
    this.steps.push({ at, kind: 'undo', path, turn: this.turn, found, left });
  }

  private forget(path: string): void {
    this.leftByPath.delete(path);
    this.snapshotByPath.delete(path);
    this.mixedPaths.delete(path);
  }
}

const maxPromptLine = 200;

function firstLine(text: string): string {
  const line =
    text
      .split(/[\r\n]/)
      .find((one) => one.trim() !== '')
      ?.trim() ?? '';
  return clip(line, maxPromptLine);
}
