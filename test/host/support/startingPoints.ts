import assert from 'node:assert/strict';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { FailedCommand } from '../../../src/startingPoints/common/commandPoint';
import type { StartingPoint, StartOptions } from '../../../src/startingPoints/common/startingPoint';
import { StartingPointCommands } from '../../../src/startingPoints/vscode/startingPointCommands';
import { MemoryMemento } from '../../fake/memoryMemento';
import { AdapterUnderTest } from './editorAdapter';

/** The commands with a chat that notes what it is given. What offers the commands in VS Code is Backline itself. Dispose it. */
export class StartingPointsUnderTest {
  readonly editor = new AdapterUnderTest();
  readonly started: (StartingPoint & StartOptions)[] = [];
  sends = false;
  readonly memento = new MemoryMemento();
  /** Messages with a button, and whether the user presses it. */
  readonly offers: string[] = [];
  isOfferTaken = false;
  lastFailed: FailedCommand | undefined;
  /** What the agent was asked in the background, and what answers. */
  readonly questions: string[] = [];
  answer: (signal: AbortSignal) => Promise<string | undefined> = () => Promise.resolve('');
  private readonly handlers = new Map<string, (...args: readonly unknown[]) => unknown>();
  private readonly commands = new StartingPointCommands({
    commands: {
      setHandler: (id, handler) => {
        this.handlers.set(id, handler);
        return { dispose: () => void this.handlers.delete(id) };
      },
    },
    clock: systemClock,
    log: nullLogger,
    memento: this.memento,
    agent: {
      ask: async (question) => {
        this.questions.push(question.prompt);
        return await this.answer(question.signal);
      },
    },
    offer: (message) => {
      this.offers.push(message);
      return Promise.resolve(this.isOfferTaken);
    },
    lastFailedCommand: () => this.lastFailed,
    settings: { sendsStartingPoints: () => this.sends },
    editor: this.editor.adapter,
    chat: { start: (point, options) => Promise.resolve(void this.started.push({ ...point, ...options })) },
  });

  constructor() {
    this.commands.start();
  }

  /** Runs a command, and returns what the chat was given. Rejects with what the user reads. */
  async run(id: string, ...args: readonly unknown[]): Promise<StartingPoint & StartOptions> {
    const before = this.started.length;
    await this.runCommand(id, ...args);
    const point = this.started[before];
    assert.ok(point, 'nothing was started');
    return point;
  }

  async runCommand(id: string, ...args: readonly unknown[]): Promise<void> {
    const handler = this.handlers.get(id);
    assert.ok(handler, id);
    await handler(...args);
  }

  dispose(): void {
    this.commands.dispose();
    this.editor.dispose();
  }
}
