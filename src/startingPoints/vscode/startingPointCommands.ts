import { DisposableStore } from '../../base/common/disposable';
import type { RunningFeature } from '../../base/common/feature';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, type CommandId } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { Settings } from '../../platform/vscode/settings';
import type { ChatStarter, StartingPoint } from '../common/startingPoint';
import { ProblemCommands } from './problemCommands';

export interface StartingPointDeps {
  readonly commands: Pick<Commands, 'setHandler'>;
  readonly settings: Pick<Settings, 'sendsStartingPoints'>;
  readonly editor: EditorPort;
  readonly chat: ChatStarter;
}

/** The commands that begin a conversation with what VS Code shows. */
export class StartingPointCommands implements RunningFeature {
  private readonly disposables = new DisposableStore();

  constructor(private readonly deps: StartingPointDeps) {}

  start(): void {
    const problems = new ProblemCommands(this.deps.editor);
    this.handle(commandIds.startingPointsFixProblem, (uri, given) => problems.atPlace('fix', uri, given));
    this.handle(commandIds.startingPointsExplainProblem, (uri, given) => problems.atPlace('explain', uri, given));
    this.handle(commandIds.startingPointsFixFile, (uri) => problems.ofFile(uri));
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Sets the handler of a command whose third argument says whether the user chooses the agent. */
  private handle(id: CommandId, collect: (...args: readonly unknown[]) => Promise<StartingPoint>): void {
    const { chat, commands, settings } = this.deps;
    const run = async (...args: readonly unknown[]): Promise<void> => {
      await chat.start(await collect(...args), { picksAgent: args[2] === true, sends: settings.sendsStartingPoints() });
    };
    this.disposables.add(commands.setHandler(id, run));
  }
}
