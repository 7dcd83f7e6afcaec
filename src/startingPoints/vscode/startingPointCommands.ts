import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import type { RunningFeature } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, type CommandId } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { Settings } from '../../platform/vscode/settings';
import type { FailedCommand } from '../common/commandPoint';
import { withinLimits } from '../common/excerpt';
import type { BackgroundAgent, ChatStarter, StartingPoint } from '../common/startingPoint';
import { CommitMessages } from './commitMessages';
import { ConflictCommands } from './conflictCommands';
import { DebugCommands } from './debugCommands';
import { ProblemCommands } from './problemCommands';
import { TerminalCommands } from './terminalCommands';
import { TestCommands } from './testCommands';

export interface StartingPointDeps {
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: Pick<Settings, 'sendsStartingPoints'>;
  readonly editor: EditorPort;
  readonly chat: ChatStarter;
  readonly agent: BackgroundAgent;
  /** Storage of the workspace. */
  readonly memento: Memento;
  /** Asks the user; see `Messages.offer`. */
  readonly offer: (message: string, label: string) => Promise<boolean>;
  /** Returns the last command in a terminal that has failed. */
  readonly lastFailedCommand: (ofAny: boolean) => FailedCommand | undefined;
}

type PairedCommand = 'FixTest' | 'ExplainCommand' | 'ExplainSelection' | 'ExplainStop';

/** The commands that begin a conversation with what VS Code shows. */
export class StartingPointCommands implements RunningFeature {
  private readonly disposables = new DisposableStore();

  constructor(private readonly deps: StartingPointDeps) {}

  start(): void {
    const { agent, clock, editor, lastFailedCommand: lastFailed, log, memento, offer } = this.deps;
    const problems = new ProblemCommands(editor);
    const tests = new TestCommands(editor, log);
    const terminals = new TerminalCommands({ lastFailed, memento, offer, newId: randomUUID });
    const commits = this.disposables.add(new CommitMessages({ agent, editor, memento, offer }));
    const conflicts = new ConflictCommands(editor);
    const debug = new DebugCommands(editor, clock);
    this.handleOffered(commandIds.startingPointsFixProblem, (uri, given) => problems.atPlace('fix', uri, given));
    this.handleOffered(commandIds.startingPointsExplainProblem, (uri, given) =>
      problems.atPlace('explain', uri, given),
    );
    this.handleOffered(commandIds.startingPointsFixFile, (uri) => problems.ofFile(uri));
    this.handlePair('FixTest', (given) => tests.ofTest(given));
    this.handlePair('ExplainCommand', (given) =>
      // The menu of a terminal passes what it was opened on, the Command Palette nothing.
      Promise.resolve(terminals.failedCommand(given === undefined)),
    );
    this.handlePair('ExplainSelection', () => terminals.selection());
    this.handlePair('ExplainStop', () => debug.ofStop());
    this.handleOffered(commandIds.startingPointsResolveConflict, (given, line) => conflicts.ofFile(given, line));
    this.setHandler(commandIds.startingPointsResolveConflictWithAnother, async (given) =>
      this.begin(await conflicts.ofFile(given, undefined), true),
    );
    this.setHandler(commandIds.startingPointsWriteMessage, (given) => commits.write(given, false));
    this.setHandler(commandIds.startingPointsWriteMessageWithAnother, (given) => commits.write(given, true));
    this.setHandler(commandIds.startingPointsRestoreMessage, (given) => commits.restore(given));
    this.setHandler(commandIds.startingPointsStopMessage, () => {
      commits.stop();
      return Promise.resolve();
    });
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Sets the handler of a command whose third argument says whether the user chooses the agent. */
  private handleOffered(id: CommandId, collect: (...args: readonly unknown[]) => Promise<StartingPoint>): void {
    this.setHandler(id, async (...args) => await this.begin(await collect(...args), args[2] === true));
  }

  /** Sets the handlers of a command, and of the one that takes its place in menus while Alt is held. */
  private handlePair(name: PairedCommand, collect: (given: unknown) => Promise<StartingPoint | undefined>): void {
    this.setHandler(
      commandIds[`startingPoints${name}`],
      async (given) => await this.begin(await collect(given), false),
    );
    this.setHandler(
      commandIds[`startingPoints${name}WithAnother`],
      async (given) => await this.begin(await collect(given), true),
    );
  }

  private setHandler(id: CommandId, run: (...args: readonly unknown[]) => Promise<void>): void {
    this.disposables.add(this.deps.commands.setHandler(id, run));
  }

  private async begin(point: StartingPoint | undefined, picksAgent: boolean): Promise<void> {
    if (!point) return;
    const { chat, settings } = this.deps;
    await chat.start(withinLimits(point), { picksAgent, sends: settings.sendsStartingPoints() });
  }
}
