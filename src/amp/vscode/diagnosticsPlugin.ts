import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import type { Messages } from '../../platform/vscode/messages';
import { PluginFile, userPluginFolder, workspacePluginFolder, type PluginState } from '../node/pluginFile';

interface DiagnosticsPluginDeps {
  readonly editor: Pick<EditorPort, 'folders'>;
  readonly messages: Messages;
  readonly sourceFile: string;
  readonly version: string;
}

/** A place where Amp looks for plugins. */
interface InstallPlace {
  readonly plugin: PluginFile;
  /** The audience as the end of a label such as "Install for me". */
  readonly audience: string;
  readonly detail: string;
}

interface PlacePick extends vscode.QuickPickItem {
  /** Installs or removes the plugin. Returns a message for the user, or undefined if the user cancels. */
  readonly run: () => Promise<string | undefined>;
}

/** Installs, updates and removes the plugin with which the Amp CLI reads the problems that VS Code shows. */
export class DiagnosticsPlugin {
  constructor(private readonly deps: DiagnosticsPluginDeps) {}

  /** The command `backline.amp.installDiagnosticsPlugin`. @throws Error that explains what to do */
  async showManageDialog(): Promise<void> {
    const source = await readFile(this.deps.sourceFile, 'utf8');
    const picks = await Promise.all(
      this.listInstallPlaces(source).map(async (place) =>
        picksOf(place, await place.plugin.readState(), this.deps.version),
      ),
    );
    const picked = await vscode.window.showQuickPick(picks.flat(), {
      title: 'Amp Diagnostics Plugin',
      placeHolder: 'Select where to install or remove the plugin, which lets Amp read VS Code’s problems',
      matchOnDescription: true,
    });
    const done = await picked?.run();
    if (done !== undefined) this.deps.messages.info(done);
  }

  /** Whether an installed copy is older than the bundled plugin. Ignores places that cannot be read. */
  async hasOutdatedCopy(): Promise<boolean> {
    const source = await readFile(this.deps.sourceFile, 'utf8');
    const states = await Promise.all(
      this.listInstallPlaces(source).map(({ plugin }) =>
        plugin.readState().catch((): PluginState => ({ kind: 'foreign' })),
      ),
    );
    return states.some((state) => state.kind === 'ours' && state.age === 'older');
  }

  private listInstallPlaces(source: string): InstallPlace[] {
    const { editor, version } = this.deps;
    const user: InstallPlace = {
      plugin: new PluginFile(userPluginFolder(process.env, homedir()), source, version),
      audience: 'for me',
      detail: 'For all Amp sessions on this machine',
    };
    // Amp runs the plugins of a workspace, so the plugin is only installed in a trusted workspace.
    if (!vscode.workspace.isTrusted) return [user];
    const { folders } = editor;
    const workspace = folders.map(({ name, path }): InstallPlace => ({
      plugin: new PluginFile(workspacePluginFolder(path), source, version, path),
      audience: folders.length === 1 ? 'for this workspace' : `for the folder ${name}`,
      detail: 'For Amp sessions in this folder. Everyone who uses this folder gets the plugin',
    }));
    return [user, ...workspace];
  }
}

const reload = 'Running sessions load it after "plugins: reload" in Amp’s command palette.';

function picksOf({ plugin, audience, detail }: InstallPlace, state: PluginState, version: string): PlacePick[] {
  const common = { description: plugin.file, detail };
  const install = (label: string): PlacePick => ({
    ...common,
    label,
    run: async () => {
      await plugin.install();
      return `Installed the Amp diagnostics plugin ${version}. ${reload}`;
    },
  });
  const remove: PlacePick = {
    ...common,
    label: `$(trash) Remove ${audience}`,
    run: async () => {
      await plugin.remove();
      return 'Removed the Amp diagnostics plugin.';
    },
  };
  /** When the user selects this item, the complete error is shown, with advice. */
  const refusal = (why: string): PlacePick => ({
    ...common,
    label: `$(circle-slash) Cannot install ${audience}`,
    detail: why,
    run: () => plugin.install().then(() => undefined),
  });
  switch (state.kind) {
    case 'absent':
      return [install(`$(cloud-download) Install ${audience}`)];
    case 'foreign':
      return [refusal('A file with this name already exists and was not created by Backline')];
    case 'outside':
      return [refusal('A link in the path leads out of the workspace folder')];
    case 'ours':
      break;
  }
  switch (state.age) {
    case 'current':
      return [remove];
    case 'older':
      return [install(`$(sync) Update ${audience}: ${state.version} → ${version}`), remove];
    case 'newer':
      return [{ ...remove, detail: `Version ${state.version} is newer than the bundled version ${version}` }];
    case 'edited': {
      const replace = install(`$(discard) Replace ${audience} (modified)`);
      const act = async (): Promise<string | undefined> =>
        (await confirmReplacing(plugin)) ? replace.run() : undefined;
      return [{ ...replace, run: act }, remove];
    }
  }
}

async function confirmReplacing({ file }: PluginFile): Promise<boolean> {
  const replace = 'Replace';
  const detail = `${file} differs from what Backline installs. Its changes will be lost.`;
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage('Replace the changed plugin?', options, replace)) === replace;
}
