import assert from 'node:assert/strict';
import { nullLogger } from '../../../src/base/common/log';
import type { FailedCommand } from '../../../src/startingPoints/common/commandPoint';
import type { StartingPoint, StartOptions } from '../../../src/startingPoints/common/startingPoint';
import { StartingPointCommands } from '../../../src/startingPoints/vscode/startingPointCommands';
import { AdapterUnderTest } from './editorAdapter';

/** The commands with a chat that notes what it is given. What offers the commands in VS Code is Backline itself. Dispose it. */
export class StartingPointsUnderTest {
  readonly editor = new AdapterUnderTest();
  readonly started: (StartingPoint & StartOptions)[] = [];
  sends = false;
  lastFailed: FailedCommand | undefined;
  private readonly handlers = new Map<string, (...args: readonly unknown[]) => unknown>();
  private readonly commands = new StartingPointCommands({
    commands: {
      setHandler: (id, handler) => {
        this.handlers.set(id, handler);
        return { dispose: () => void this.handlers.delete(id) };
      },
    },
    log: nullLogger,
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
    const handler = this.handlers.get(id);
    assert.ok(handler, id);
    await handler(...args);
    const point = this.started[before];
    assert.ok(point, 'nothing was started');
    return point;
  }

  dispose(): void {
    this.commands.dispose();
    this.editor.dispose();
  }
}
