import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import { LazyFeature, type Feature, type RunningFeature } from '../../base/common/feature';
import type { Commands } from '../../platform/vscode/commands';
import { Messages } from '../../platform/vscode/messages';
import { ConflictActions } from './conflictActions';
import { FailedCommands } from './failedCommands';
import { ProblemActions } from './problemActions';
import type { StartingPointDeps } from './startingPointCommands';

interface StartingPointsFeatureDeps extends Omit<StartingPointDeps, 'lastFailedCommand' | 'offer'> {
  readonly commands: Commands;
}

/** Begins conversations with what VS Code shows. The code that collects it is loaded when it is first used. */
export class StartingPointsFeature implements Feature {
  readonly id = 'startingPoints';
  readonly title = 'Starting points';

  constructor(private readonly deps: StartingPointsFeatureDeps) {}

  start(): Promise<RunningFeature> {
    const { commands, editor, log } = this.deps;
    const store = new DisposableStore();
    const failed = store.add(new FailedCommands(log));
    failed.start();
    const later = store.add(
      new LazyFeature(async () => {
        const { StartingPointCommands } = await import('./startingPointCommands');
        const messages = new Messages(log);
        const running = new StartingPointCommands({
          ...this.deps,
          lastFailedCommand: (ofAny) => failed.last(ofAny),
          offer: (message, label) => messages.offer(message, label),
        });
        running.start();
        return running;
      }),
    );
    store.add(commands.setFeatureLoader('startingPoints', () => later.getOrLoad()));
    store.add(
      vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, new ProblemActions(editor), {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
      }),
    );
    const conflicts = new ConflictActions(editor);
    store.add(vscode.languages.registerCodeLensProvider({ scheme: 'file' }, conflicts));
    store.add(
      vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, conflicts, {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
      }),
    );
    return Promise.resolve({ dispose: () => store.dispose() });
  }
}
