import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import { settingIds } from '../../manifest';
import type { Settings } from '../../platform/vscode/settings';
import { effectivePolicy, type PermissionPolicy } from '../common/policy/policy';

/** The setting `backline.permissions`, checked once for each change. What is wrong with it is said in the log. */
export class PolicySetting implements Disposable {
  private readonly store = new DisposableStore();
  private known: PermissionPolicy | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly editor: Pick<EditorPort, 'onDidChangeFolders'>,
    private readonly log: Logger,
  ) {}

  start(): void {
    const forget = (): void => {
      this.known = undefined;
    };
    this.store.add(this.settings.onDidChangeOf([settingIds.permissions], forget));
    this.store.add(this.editor.onDidChangeFolders(forget));
  }

  get current(): PermissionPolicy {
    return (this.known ??= this.check());
  }

  dispose(): void {
    this.store.dispose();
  }

  private check(): PermissionPolicy {
    const { user, workspace } = this.settings.permissions();
    const policy = effectivePolicy(user, workspace);
    if (policy.problems.length > 0) this.log.warn(`${settingIds.permissions}: ${policy.problems.join('; ')}`);
    return policy;
  }
}
