import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { parseChordPrefixes } from '../common/keyChords';

/** All default shortcuts on this platform, including those of extensions. */
const defaultKeybindings = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
/** The user's shortcuts in VS Code for the Web. */
const webUserKeybindings = vscode.Uri.parse('vscode-userdata:/User/keybindings.json');

/** The first keys of all multi-key shortcuts, from VS Code's keybinding files: there is no API for them. */
export class KeyChordPrefixes implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(
    new Emitter<void>((error) => this.log.error('a listener failed', error)),
  );
  readonly onDidChange = this.changeEmitter.event;
  private currentPrefixes: readonly string[] = ['ctrl+k', 'meta+k'];

  constructor(
    /** The extension's storage folder. Unless VS Code is remote, the user's keybinding file is two folders above it. */
    private readonly globalStorageUri: vscode.Uri,
    private readonly log: Logger,
  ) {}

  get prefixes(): readonly string[] {
    return this.currentPrefixes;
  }

  start(): void {
    this.disposables.add(vscode.extensions.onDidChange(() => void this.reload()));
    void this.reload();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  async reload(): Promise<void> {
    const users = [webUserKeybindings, vscode.Uri.joinPath(this.globalStorageUri, '..', '..', 'keybindings.json')];
    const tables = await Promise.all([defaultKeybindings, ...users].map((uri) => this.readText(uri)));
    const found = parseChordPrefixes(tables.flatMap((table) => table ?? []));
    if (this.disposables.isDisposed || found.length === 0 || found.join() === this.currentPrefixes.join()) return;
    this.currentPrefixes = found;
    this.changeEmitter.fire();
  }

  private async readText(uri: vscode.Uri): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    } catch (error) {
      this.log.debug(`cannot read shortcuts from ${uri.toString(true)}: ${messageOf(error)}`);
      return undefined;
    }
  }
}
