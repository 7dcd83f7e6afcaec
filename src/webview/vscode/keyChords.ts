import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { chordBeginnings } from '../common/keyChords';

/** All default shortcuts on this platform, including those of extensions. */
const defaults = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
/** The user's shortcuts in VS Code for the Web. */
const inBrowser = vscode.Uri.parse('vscode-userdata:/User/keybindings.json');

/** The first keys of all multi-key shortcuts. VS Code has no API for them, so its keybinding files are read. */
export class KeyChords implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.log.error('a listener failed', error)));
  readonly onDidChange = this.emitter.event;
  private current: readonly string[] = ['ctrl+k', 'meta+k'];

  constructor(
    /** The extension's storage. The user's keybinding file is two folders up, unless VS Code runs on another machine. */
    private readonly globalStorage: vscode.Uri,
    private readonly log: Logger,
  ) {}

  /** See `chordPrefixes`. */
  get beginnings(): readonly string[] {
    return this.current;
  }

  start(): void {
    this.store.add(vscode.extensions.onDidChange(() => void this.read()));
    void this.read();
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Never rejects. Unreadable files are skipped. */
  async read(): Promise<void> {
    const users = [inBrowser, vscode.Uri.joinPath(this.globalStorage, '..', '..', 'keybindings.json')];
    const tables = await Promise.all([defaults, ...users].map((uri) => this.textOf(uri)));
    const found = chordBeginnings(tables.flatMap((table) => table ?? []));
    if (this.store.isDisposed || found.length === 0 || found.join() === this.current.join()) return;
    this.current = found;
    this.emitter.fire();
  }

  private async textOf(uri: vscode.Uri): Promise<string | undefined> {
    try {
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    } catch (error) {
      this.log.debug(`cannot read shortcuts from ${uri.toString(true)}: ${messageOf(error)}`);
      return undefined;
    }
  }
}
