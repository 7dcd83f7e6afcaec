import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import { settingIds } from '../../manifest';
import type { Settings } from '../../platform/vscode/settings';
import { combineUserAndWorkspacePolicies, type PermissionPolicy } from '../common/policy/policy';

/** Caches the checked value of `backline.permissions` and logs its problems. */
export class PolicySetting implements Disposable {
  private readonly disposables = new DisposableStore();
  private cachedPolicy: PermissionPolicy | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly folderEvents: Pick<EditorPort, 'onDidChangeFolders'>,
    private readonly log: Logger,
  ) {}

  start(): void {
    const forget = (): void => {
      this.cachedPolicy = undefined;
    };
    this.disposables.add(this.settings.onDidChangeOf([settingIds.permissions], forget));
    this.disposables.add(this.folderEvents.onDidChangeFolders(forget));
  }

  get policy(): PermissionPolicy {
    return (this.cachedPolicy ??= this.readPolicy());
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private readPolicy(): PermissionPolicy {
    const { user, workspace } = this.settings.permissions();
    const policy = combineUserAndWorkspacePolicies(user, workspace);
    if (policy.problems.length > 0) this.log.warn(`${settingIds.permissions}: ${policy.problems.join('; ')}`);
    return policy;
  }
}
