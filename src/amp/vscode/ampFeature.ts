import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature, RunningFeature } from '../../base/common/feature';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds, settingIds } from '../../manifest';
import type { PortRange } from '../../platform/common/settings';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { Messages } from '../../platform/vscode/messages';
import type { TrafficTap } from '../../wire/common/traffic';
import type { AmpPolicy } from '../common/ampPolicy';
import { ampStatus } from '../common/ampStatus';
import { ProtectedEditApprovals } from '../common/protectedEditApprovals';
import { AmpServer } from '../node/ampServer';
import { AmpSupervisor } from '../node/ampSupervisor';
import { ampLockfileFolders } from '../node/lockfileFolder';
import { addSelectionToAmp } from './addSelection';
import { AmpTerminals } from './ampTerminals';
import { DiagnosticsPlugin } from './diagnosticsPlugin';
import { openAmpTerminal } from './openTerminal';
import { ProtectedEditQuestions } from './protectedEditQuestions';

interface AmpFeatureDeps extends FeatureContext {
  readonly editor: EditorPort;
  readonly policy: () => AmpPolicy;
  readonly traffic: TrafficTap;
  /** The workspace's memento. It stores the terminals across window reloads. */
  readonly memento: vscode.Memento;
  /** The extension's storage folder, which may not exist yet. */
  readonly storageFolder: string;
  readonly pluginFile: string;
  readonly version: string;
  /** Called when the first server has written its lockfile. Not called if the server is turned off or fails. */
  readonly onServing: () => void;
}

/** The editor's name for the CLI, which refuses servers whose name contains "vscode". */
const ideName = 'Visual Studio Code';

export class AmpFeature implements Feature {
  readonly id = 'amp';
  readonly title = 'Amp';

  constructor(private readonly deps: AmpFeatureDeps) {}

  async start(): Promise<RunningFeature> {
    const { editor, log, clock, status, commands, settings, memento, storageFolder, pluginFile, version } = this.deps;
    const disposables = new DisposableStore();
    const messages = new Messages(log);
    const questions = new ProtectedEditQuestions({ editor, log });
    const protectedEdits = disposables.add(
      new ProtectedEditApprovals({
        editor,
        clock,
        log,
        askUser: (edit) => questions.ask(edit),
        reportWritten: (edit) => questions.reportWritten(edit),
      }),
    );
    let isPluginOutdated = false;
    let hasStarted = false;
    const showStatus = (): void => {
      if (!hasStarted || disposables.isDisposed) return;
      const hasFolder = editor.folders.length > 0;
      const { isTrusted } = vscode.workspace;
      status.set(ampStatus(supervisor.status, { hasFolder, isTrusted, isPluginOutdated }));
    };
    const supervisor = new AmpSupervisor({
      desiredPortRange: () => (settings.ampEnabled() ? settings.ampPortRange() : undefined),
      createServer: (portRange) => this.createServer(portRange, protectedEdits),
      onDidChangeState: showStatus,
      log,
    });
    disposables.add(
      settings.onDidChangeOf(
        [settingIds.ampEnabled, settingIds.ampPortRange],
        () => void supervisor.syncWithSettings(),
      ),
    );
    // The Amp CLI may be waiting for the lockfile, so everything else comes after it.
    await supervisor.syncWithSettings();
    try {
      if (supervisor.status.kind === 'serving') this.deps.onServing();
      hasStarted = true;

      const terminals = disposables.add(new AmpTerminals({ storageFolder, homeFolder: homedir(), memento, log }));
      const plugin = new DiagnosticsPlugin({ editor, messages, sourceFile: pluginFile, version });
      const checkPlugin = async (): Promise<void> => {
        try {
          isPluginOutdated = await plugin.hasOutdatedCopy();
          showStatus();
        } catch (error) {
          log.warn(`cannot tell whether the diagnostics plugin is up to date: ${String(error)}`);
        }
      };

      terminals.trackTerminals();
      disposables.add(editor.onDidChangeFolders(showStatus));
      disposables.add(
        vscode.workspace.onDidGrantWorkspaceTrust(() => {
          showStatus();
          // In a trusted workspace, plugins of the workspace are also checked.
          void checkPlugin();
        }),
      );
      disposables.add(commands.setHandler(commandIds.ampRestart, () => this.restart(supervisor, messages)));
      disposables.add(
        commands.setHandler(commandIds.ampOpenTerminal, () => openAmpTerminal({ editor, terminals, messages })),
      );
      disposables.add(
        commands.setHandler(commandIds.ampAddSelection, () =>
          addSelectionToAmp({
            editor,
            terminals,
            messages,
            appendToPrompt: (message) => void supervisor.appendToPrompt(message),
          }),
        ),
      );
      disposables.add(
        commands.setHandler(commandIds.ampInstallDiagnosticsPlugin, async () => {
          await plugin.showManageDialog();
          await checkPlugin();
        }),
      );

      showStatus();
      void checkPlugin();
    } catch (error) {
      await supervisor.stop();
      disposables.dispose();
      throw error;
    }
    return { stop: () => supervisor.stop(), dispose: () => disposables.dispose() };
  }

  private createServer(portRange: PortRange, protectedEdits: ProtectedEditApprovals): AmpServer {
    const { editor, policy, log, clock, traffic, version } = this.deps;
    return new AmpServer({
      editor,
      policy,
      protectedEdits,
      log,
      clock,
      traffic,
      portRange,
      version,
      ideName,
      pid: process.pid,
      lockfileFolders: ampLockfileFolders(process.platform, process.env, homedir()),
    });
  }

  private async restart(supervisor: AmpSupervisor, messages: Messages): Promise<void> {
    if (!this.deps.settings.ampEnabled()) {
      messages.info(
        `The Amp server is turned off. Turn on the setting ${settingIds.ampEnabled} to serve this window.`,
        {
          label: 'Open Settings',
          run: () => vscode.commands.executeCommand('workbench.action.openSettings', settingIds.ampEnabled),
        },
      );
      return;
    }
    await supervisor.restart();
    const { status } = supervisor;
    if (status.kind === 'failed') throw new Error(status.message);
  }
}
